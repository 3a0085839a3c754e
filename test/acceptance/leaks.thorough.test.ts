/**
 * The promise of the policy: a principal that may not see a skill gets the same bytes whether it exists or not, for
 * every request. The test calls each declared method and tool; a new one without probes fails here.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Directory } from '../../index/directory/directory.ts';
import type { Library } from '../../src/catalog/library.ts';
import type { Gateway } from '../../src/gateway/gateway.ts';
import type { Principal } from '../../src/gateway/policy/principal.ts';
import { hasVector, type PostgresServer, postgresServer } from '../postgres.ts';
import { PROFILE_NAMES, type ProfileName } from '../src/mcp/profiles.ts';
import { askAs, ERAS, type Era } from './leaks/asking.ts';
import { servedFromDatabase } from './leaks/in-database.ts';
import { answersTo, probesOf, QUERIES } from './leaks/probes.ts';
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

it('a guest gets the same bytes after hidden skills have been removed', async () => {
  const { found } = await differences(aged.gateway, bare.gateway, 'legacy', 'search-first');
  expect(found).toEqual([]);
}, 240_000);

describe.skipIf(!hasVector())('searched in a database', () => {
  let server: PostgresServer;
  let inFull: World;
  let inBare: World;
  beforeAll(async () => {
    server = await postgresServer();
    const served = (schema: string) => ({
      served: (library: Library, directory: Directory, sources: readonly string[]) =>
        servedFromDatabase(server.url, schema, library, directory, sources),
    });
    inFull = await openWorld({ ...VISIBLE, ...HIDDEN }, served('world_full'));
    inBare = await openWorld(VISIBLE, served('world_bare'));
  }, 120_000);
  afterAll(async () => {
    for (const world of [inFull, inBare]) await world?.close();
    await server?.remove();
  });

  it('a guest gets the same bytes in a world with hidden skills', async () => {
    const { found, asked } = await differences(inFull.gateway, inBare.gateway, 'modern', 'search-first');
    expect(found).toEqual([]);
    expect(asked).toBeGreaterThan(150);
  }, 240_000);

  it('everyone is answered as from files', async () => {
    for (const who of [GUEST, ADMIN])
      for (const query of QUERIES) {
        const request = { query, limit: 20, explain: true };
        const answers = [inFull, full].map(async (world) => {
          const { tookMs: _, retrieval, ...answer } = await world.gateway(who).search(request);
          // The files of so few skills are always scanned.
          return { ...answer, mode: retrieval.mode };
        });
        expect(await answers[0]).toEqual(await answers[1]);
      }
  }, 120_000);

  it('the two worlds differ for the admin', async () => {
    const answers = [inFull, inBare].map((world) =>
      world.gateway(ADMIN).search({ query: 'feed the quokka', limit: 5 }),
    );
    const [one, other] = await Promise.all(answers);
    expect(one?.hits.map(({ entry }) => entry.id)).not.toEqual(other?.hits.map(({ entry }) => entry.id));
  });
});

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
  // No method or tool exposes `why`: it is a local command.
  const where: Readonly<Record<keyof Omit<Gateway, 'onChange' | 'why'>, [Era, ProfileName]>> = {
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
