/**
 * The promise of the policy: a principal that may not see a skill gets the same bytes whether it exists or not, for
 * every request. The test calls each declared method and tool; a new one without probes fails here.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Gateway } from '../../src/gateway/gateway.ts';
import type { Principal } from '../../src/gateway/policy/principal.ts';
import { PROFILE_NAMES, type ProfileName } from '../src/mcp/profiles.ts';
import { askAs, ERAS, type Era } from './leaks/asking.ts';
import { answersTo, probesOf, QUERIES } from './leaks/probes.ts';
import { registryAnswers } from './leaks/registry.ts';
import { ADMIN, GUEST, HIDDEN, openWorld, VISIBLE, type World } from './leaks/worlds.ts';

type Gateways = (principal: Principal) => Gateway;

/** The differences between two worlds, as `method params` with both answers; at most so many. */
async function differences(
  one: Gateways,
  other: Gateways,
  era: Era,
  tools: ProfileName,
  most = Number.POSITIVE_INFINITY,
) {
  const [first, second] = [await askAs(GUEST, one, era, tools), await askAs(GUEST, other, era, tools)];
  expect(first.methods).toEqual(second.methods);
  const probes = await probesOf(first);
  const found: { probe: string; one: string; other: string }[] = [];
  for (const probe of probes) {
    if (found.length === most) break;
    const [mine, theirs] = [await answersTo(first, probe), await answersTo(second, probe)];
    if (JSON.stringify(mine) !== JSON.stringify(theirs))
      found.push({ probe: JSON.stringify(probe), one: mine.join('\n'), other: theirs.join('\n') });
  }
  await first.close();
  await second.close();
  return { found, asked: probes.length };
}

let full: World;
let bare: World;
/** Had hidden skills once, lost them, and got a visible one late: its index has a history. */
let aged: World;

beforeAll(async () => {
  full = await openWorld({ ...VISIBLE, ...HIDDEN });
  bare = await openWorld(VISIBLE);
  const late = 'mirror/csv-clean/SKILL.md';
  aged = await openWorld({ ...VISIBLE, ...HIDDEN, [late]: '---\nname: none\n---\nNothing yet.\n' });
  aged.remove(Object.keys(HIDDEN));
  aged.write({ [late]: VISIBLE[late]! });
  await aged.library.update();
}, 240_000);

afterAll(async () => {
  for (const world of [full, bare, aged]) await world?.close();
});

describe.each(ERAS)('on a %s connection', (era) => {
  it.each(PROFILE_NAMES)(
    'a guest with %s tools gets the same bytes in a world with hidden skills',
    async (tools) => {
      const { found, asked } = await differences(full.gateway, bare.gateway, era, tools);
      expect(found).toEqual([]);
      expect(asked).toBeGreaterThan(150);
    },
    240_000,
  );
});

it('a guest of the registry gets the same bytes in a world with hidden skills, and after these have been removed', async () => {
  const answers = await registryAnswers(bare.gateway(GUEST), bare.library);
  expect(answers.length).toBeGreaterThan(150);
  expect(answers.filter((answer) => answer.includes('"status":200')).length).toBeGreaterThan(100);
  expect(await registryAnswers(full.gateway(GUEST), full.library)).toEqual(answers);
  expect(await registryAnswers(aged.gateway(GUEST), aged.library)).toEqual(answers);
  for (const use of ['search', 'publishableAt'] as const)
    expect(
      await registryAnswers({ ...full.gateway(GUEST), [use]: full.gateway(ADMIN)[use] }, full.library),
      `a planted leak of ${use}`,
    ).not.toEqual(answers);
}, 240_000);

it('a guest gets the same bytes after hidden skills have been removed', async () => {
  const { found } = await differences(aged.gateway, bare.gateway, 'legacy', 'search-first');
  expect(found).toEqual([]);
}, 240_000);

describe('with learning on', () => {
  /** The admin does the same with the visible skills of both worlds: looks for everything, loads it by id, looks again. */
  const teach = async (world: World) => {
    const gateway = world.gateway(ADMIN);
    for (const query of QUERIES.filter((each) => each !== '')) {
      const { hits } = await gateway.search({ query, limit: 50 });
      const ids = hits.map(({ entry }) => entry.id).sort();
      for (const skill of ids) await gateway.load({ skill });
      await gateway.search({ query: `${query} please`, limit: 50 });
    }
    await world.library.learning?.flush();
  };
  let fullTaught: World;
  let bareTaught: World;
  beforeAll(async () => {
    fullTaught = await openWorld({ ...VISIBLE, ...HIDDEN }, { learn: true });
    bareTaught = await openWorld(VISIBLE, { learn: true });
    await teach(fullTaught);
    await teach(bareTaught);
  }, 240_000);
  afterAll(async () => {
    for (const world of [fullTaught, bareTaught]) await world?.close();
  });

  it('a guest gets the same bytes after another principal loaded hidden skills', async () => {
    expect(fullTaught.learnedSkills()).toBeGreaterThan(30);
    const { found } = await differences(fullTaught.gateway, bareTaught.gateway, 'modern', 'search-first');
    expect(found).toEqual([]);
  }, 240_000);

  it('no answer holds what another principal asked', async () => {
    const marked = 'xylophone maintenance of the kiln';
    const gateway = fullTaught.gateway(ADMIN);
    await gateway.search({ query: marked, limit: 10 });
    await gateway.load({ skill: 'open:kiln' });
    await fullTaught.library.learning!.flush();
    const guest = await askAs(GUEST, fullTaught.gateway, 'modern', 'search-first');
    const answers = [];
    for (const probe of await probesOf(guest)) answers.push(...(await answersTo(guest, probe)));
    await guest.close();
    expect(answers.filter((answer) => answer.includes('xylophone'))).toEqual([]);
  }, 240_000);
});

it('a guest sees visible skills, and the admin all of them: the worlds do differ', async () => {
  const ids = async (world: World, who: Principal) =>
    (await world.gateway(who).list({ limit: 200 })).entries.map(({ id }) => id);
  expect(await ids(full, GUEST)).toEqual(await ids(bare, GUEST));
  expect(await ids(full, GUEST)).toEqual([
    'mirror:csv-clean',
    'mirror:pdf-forms',
    'mirror:tea',
    'open:csv-clean',
    'open:guides',
    'open:guides/annex',
    'open:kiln',
    'open:pdf-forms',
    'open:pdf-tables',
    'open:sql-tune',
    'open:team/deploy',
  ]);
  expect(await ids(full, ADMIN)).not.toEqual(await ids(bare, ADMIN));
});

describe('a planted leak is caught:', () => {
  /** The guest's gateway with one use case of the admin's. */
  const leaking =
    (use: keyof Gateway): Gateways =>
    (who) => ({ ...full.gateway(who), [use]: full.gateway(ADMIN)[use] });
  const where: Readonly<Record<keyof Omit<Gateway, 'onChange'>, [Era, ProfileName]>> = {
    search: ['modern', 'search-first'],
    load: ['modern', 'search-first'],
    find: ['legacy', 'search-first'],
    read: ['modern', 'search-first'],
    list: ['modern', 'search-first'],
    labels: ['legacy', 'search-first'],
    complete: ['modern', 'search-first'],
    summary: ['modern', 'search-first'],
    publishable: ['modern', 'search-first'],
    publishableAt: ['modern', 'search-first'],
    completeUri: ['modern', 'search-first'],
    useTool: ['modern', 'search-first'],
  };

  it.each(Object.entries(where))(
    '%s',
    async (use, [era, tools]) => {
      const { found } = await differences(leaking(use as keyof Gateway), bare.gateway, era, tools, 1);
      expect(found).toHaveLength(1);
    },
    240_000,
  );

  it('one number in one answer', async () => {
    const telling: Gateways = (who) => ({
      ...full.gateway(who),
      async search(request) {
        const answer = await full.gateway(who).search(request);
        return { ...answer, searched: (await full.gateway(ADMIN).summary()).skills };
      },
    });
    const { found } = await differences(telling, bare.gateway, 'modern', 'search-first', 1);
    expect(found).toHaveLength(1);
  }, 240_000);
});
