import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Gateway } from '../../../src/gateway/gateway.ts';
import { GatewayError } from '../../../src/gateway/gateway.ts';
import { gatewaysFor } from '../../../src/gateway/pipeline.ts';
import { compilePolicy, type PolicyOptions } from '../../../src/gateway/policy/policy.ts';
import { LOCAL, type Principal } from '../../../src/gateway/policy/principal.ts';
import { examples } from '../../thorough.ts';
import { add } from '../sources/scan/tree.ts';
import { skill, testLibrary } from './test-library.ts';

const GUEST: Principal = { id: 'guest', scopes: [] };

const hiding = (...skills: string[]): PolicyOptions => ({
  disabled: [],
  rules: [{ who: ['*'], allow: [{}], deny: [{ skills }], tools: [], scripts: [] }],
});

function opened(tree: Readonly<Record<string, string>>, policy: PolicyOptions) {
  const own = testLibrary(tree, { qualifyIds: true });
  return { ...own, gateway: gatewaysFor(own.library, compilePolicy(policy)) };
}

const TREE = {
  'pdf/SKILL.md': skill('pdf', 'Fill in forms'),
  'csv/SKILL.md': skill('csv', 'Clean messy tables'),
  'secret/plan/SKILL.md': skill('plan', 'Fill in secret forms'),
};

describe('a gateway with a view', () => {
  it('is shared by all principals with the same rules', () => {
    const { gateway } = opened(TREE, hiding('secret/**'));
    expect(gateway({ id: 'a', scopes: [] })).toBe(gateway({ id: 'b', scopes: ['x'] }));
    expect(gateway(LOCAL)).not.toBe(gateway(GUEST));
  });

  it('notifies of a generation only where it changes what is visible', async () => {
    const { gateway, library, root, clock } = opened(TREE, hiding('secret/**'));
    await library.update();
    const generations: number[] = [];
    const all: number[] = [];
    const guest = gateway(GUEST);
    const stop = guest.onChange((generation) => generations.push(generation));
    library.onChange((generation) => all.push(generation));
    await guest.search({ query: 'forms', limit: 1 });
    add(root, { 'secret/other/SKILL.md': skill('other', 'Another secret') });
    clock.ms += 5_000;
    await library.update();
    // A change may be followed by a merge of segments.
    const before = all.length;
    expect(before).toBeGreaterThan(0);
    expect(generations).toEqual([]);
    add(root, { 'sql/SKILL.md': skill('sql', 'Tune queries') });
    await library.update();
    await expect.poll(() => generations).toEqual([0]);
    expect(all.length).toBeGreaterThan(before);
    stop();
    add(root, { 'tea/SKILL.md': skill('tea', 'Brew tea') });
    await library.update();
    expect(generations).toEqual([0]);
  });

  it('summarises what is visible, without the generation number', async () => {
    const { gateway } = opened(TREE, hiding('secret/**'));
    const summary = await gateway(GUEST).summary();
    expect(summary).toMatchObject({ skills: 2, generation: 0, sources: [{ name: 'library', skills: 2 }] });
    expect(JSON.stringify(summary)).not.toContain('plan');
    expect(await gateway(GUEST).summary()).toBe(summary);
  });

  it('sees the next generation and a file saved just now', async () => {
    const { gateway, root, clock } = opened(TREE, hiding('secret/**'));
    const total = async () => (await gateway(GUEST).list({ limit: 10 })).total;
    expect(await total()).toBe(2);
    add(root, { 'sql/SKILL.md': skill('sql', 'Tune queries') });
    clock.ms += 5_000;
    expect(await total()).toBe(3);
  });

  it('returns local folders only to the local user', async () => {
    const { gateway, root } = opened(TREE, hiding('secret/**'));
    const folder = async (who: Principal) => (await gateway(who).load({ skill: 'pdf' })).entry.folder;
    expect(await folder(LOCAL)).toBe(`${root}/pdf`);
    expect(await folder(GUEST)).toBe('skill://library/pdf');
    const { entries } = await gateway(GUEST).list({ limit: 5 });
    expect(await gateway(GUEST).labels(entries)).toMatchObject([
      { name: 'csv', modifiedAt: expect.any(String) },
      { name: 'pdf', modifiedAt: expect.any(String) },
    ]);
  });

  it('uses the library itself where the policy hides nothing', async () => {
    const { gateway } = opened(TREE, { default: 'allow', disabled: [], rules: [] });
    expect((await gateway(LOCAL).summary()).generation).toBe(1);
  });
});

describe('any catalog under any policy', () => {
  const word = fc.constantFrom('alpha', 'beta', 'gamma', 'delta', 'kiln', 'glaze');
  const text = fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => words.join(' '));
  const place = fc
    .tuple(fc.constantFrom('a', 'b', 'c/d', 'secret'), fc.constantFrom('pdf', 'csv', 'kiln', 'a'))
    .map((parts) => parts.join('/'));
  const planned = fc.uniqueArray(
    fc.record({ place, name: fc.constantFrom('pdf', 'csv', 'kiln'), text, tag: fc.constantFrom('x', 'y') }),
    { minLength: 1, maxLength: 9, selector: (each) => each.place },
  );
  const choice = fc.record(
    {
      skills: fc.subarray(['a/**', 'b/*', 'c/d/pdf', 'secret/**', '*/pdf'], { minLength: 1 }),
      tags: fc.subarray(['x', 'y'], { minLength: 1 }),
    },
    { requiredKeys: [] },
  );
  const policies = fc.record({
    default: fc.constantFrom('allow' as const, 'deny' as const),
    disabled: fc.subarray(['a/pdf', 'b/**']),
    rules: fc.array(
      fc.record({
        who: fc.constant(['guest']),
        allow: fc.array(choice, { maxLength: 2 }),
        deny: fc.array(choice, { minLength: 1, maxLength: 2 }),
        tools: fc.constant([]),
        scripts: fc.constant([]),
      }),
      { minLength: 1, maxLength: 2 },
    ),
  });

  /** The answers of all use cases as one text; failures with their data. */
  async function answers(gateway: Gateway, names: readonly string[], queries: readonly string[]) {
    const asked: [string, Promise<unknown>][] = [
      ['summary', gateway.summary()],
      ['list', gateway.list({ limit: 3 })],
      ['publishable', gateway.publishable({ limit: 3 })],
      ...['', 'a', 's', 'library/c', 'pdf'].flatMap((typed): [string, Promise<unknown>][] => [
        [`complete ${typed}`, gateway.complete(typed)],
        [`completeUri ${typed}`, gateway.completeUri({ text: typed, limit: 20 })],
      ]),
      ...names.flatMap((name): [string, Promise<unknown>][] => [
        [`load ${name}`, gateway.load({ skill: name })],
        [`read ${name}`, gateway.read({ skill: name, path: 'SKILL.md' })],
        [`at ${name}`, gateway.publishableAt(`skill://library/${name}/SKILL.md`)],
      ]),
      ...queries.flatMap((query): [string, Promise<unknown>][] => [
        [`search ${query}`, gateway.search({ query, limit: 3, explain: true })],
        [`tagged ${query}`, gateway.search({ query, limit: 3, filter: { tags: ['x'] } })],
      ]),
    ];
    const answers = await Promise.all(
      asked.map(async ([what, work]) => [
        what,
        await work.catch((error: unknown) =>
          error instanceof GatewayError ? [error.code, error.message, error.data] : String(error),
        ),
      ]),
    );
    return JSON.stringify(answers);
  }

  it('returns the same answers whether hidden skills exist or not', async () => {
    await fc.assert(
      fc.asyncProperty(
        planned,
        policies,
        fc.array(text, { minLength: 1, maxLength: 3 }),
        async (plan, options, queries) => {
          const files = (all: typeof plan) =>
            Object.fromEntries(
              all.map(({ place: at, name, text: body, tag }) => [
                `${at}/SKILL.md`,
                `---\nname: ${name}\ndescription: ${body}\nmetadata:\n  tags: ${tag}\n---\n# ${body}\n\n${body}\n`,
              ]),
            );
          const grants = compilePolicy(options).grantsOf(GUEST);
          const seen = plan.filter(({ place: at, tag }) =>
            grants.visible({
              ids: [at, `library:${at}`],
              source: 'library',
              tags: [tag],
              suspicious: false,
            }),
          );
          const [full, bare] = [opened(files(plan), options), opened(files(seen), options)];
          const names = [...plan.flatMap(({ place: at, name }) => [at, `library:${at}`, name]), 'none'];
          expect(await answers(full.gateway(GUEST), names, ['', ...queries])).toBe(
            await answers(bare.gateway(GUEST), names, ['', ...queries]),
          );
          await full.library.close();
          await bare.library.close();
        },
      ),
      { numRuns: examples(40) },
    );
  }, 120_000);
});
