import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CachedSource, type Origin } from '../../../../extensions/remote-sources/fetched/cached-source.ts';
import type { FetchOptions } from '../../../../src/sources/fetched.ts';
import { fetchOptions } from '../../../contracts/fetched-source.ts';
import { plant, skillText } from '../../../src/sources/scan/tree.ts';

const TEA = skillText('tea');

/** Fetches these texts by path, or fails. */
function origin(give: () => Readonly<Record<string, string>> | Error, more: Partial<Origin> = {}): Origin {
  return {
    kind: 'mcp',
    origin: 'somewhere',
    key: ['somewhere'],
    secrets: [],
    async fetch(incoming) {
      const given = give();
      if (given instanceof Error) throw given;
      for (const [path, text] of Object.entries(given))
        incoming.add(path, await incoming.store(Buffer.from(text)));
      return incoming.finish({});
    },
    ...more,
  };
}

const open = (from: Origin, more: Partial<FetchOptions> = {}) =>
  new CachedSource(fetchOptions(join(plant({}), 'place'), more), from);

describe('CachedSource', () => {
  it('reports a problem with its folder, and does not throw', async () => {
    const cacheFolder = join(plant({ file: '' }), 'file', 'place');
    const source = open(
      origin(() => ({ 'a/SKILL.md': TEA })),
      { cacheFolder },
    );
    expect(await source.refresh()).toBe(false);
    expect(source.status()).toMatchObject({ resolved: null, failure: expect.stringContaining('ENOTDIR') });
    expect((await source.scan()).diagnostics).toMatchObject([{ id: 'source-unfetched' }]);
  });

  it('hides secrets in failures and diagnostics', async () => {
    let failure: Error | null = null;
    const source = open(
      origin(() => failure ?? {}, {
        secrets: ['s3cret', ''],
        async fetch(incoming) {
          if (failure !== null) throw failure;
          incoming.report('entry-failed', 'a', 'It said: s3cret.', 'Ask.');
          return incoming.finish({});
        },
      }),
    );
    await source.refresh();
    expect((await source.scan()).diagnostics).toMatchObject([
      { id: 'entry-failed', message: 'It said: ***.' },
    ]);
    failure = new Error('s3cret was refused: s3cret');
    await source.refresh();
    expect(source.status().failure).toBe('*** was refused: ***.');
  });

  it('ends on time even if the origin ignores its signal', async () => {
    const source = open(
      origin(() => ({}), { fetch: () => new Promise(() => {}) }),
      { timeoutMs: 50 },
    );
    expect(await source.refresh()).toBe(false);
    expect(source.status().failure).toContain('0.05 s');
    await source.close();
  });

  it('continues a fetch while a caller waits for it, and aborts it when none does', async () => {
    const signals: AbortSignal[] = [];
    let answer = () => {};
    const source = open(
      origin(() => ({}), {
        fetch: (incoming) =>
          new Promise((resolve) => {
            signals.push(incoming.signal);
            answer = () => resolve(incoming.finish({}));
          }),
      }),
    );
    const [first, second] = [new AbortController(), new AbortController()];
    const waiting = [source.refresh(first.signal), source.refresh(second.signal)];
    const caught = waiting.map((work) => work.catch((error: unknown) => String(error)));
    await expect.poll(() => signals.length).toBe(1);
    first.abort(new Error('one'));
    expect(await caught[0]).toBe('Error: one');
    expect(signals[0]?.aborted).toBe(false);
    second.abort(new Error('two'));
    expect(await caught[1]).toBe('Error: two');
    expect(signals[0]?.aborted).toBe(true);
    // An abandoned fetch leaves no failure, and the next one starts anew.
    expect(source.status().failure).toBeNull();
    const again = source.refresh();
    await expect.poll(() => signals.length).toBe(2);
    answer();
    await again;
    expect(source.status().resolved).not.toBeNull();
  });

  it('fetches once for all processes that ask at the same time, even if the clock is wrong', async () => {
    const cacheFolder = join(plant({}), 'place');
    let fetches = 0;
    let day = 9;
    const give = origin(() => {
      fetches += 1;
      return { 'a/SKILL.md': TEA };
    });
    // The clock goes back a day at each call.
    const now = () => new Date(Date.UTC(2026, 0, day--));
    const [first, second] = [open(give, { cacheFolder, now }), open(give, { cacheFolder, now })];
    expect(await Promise.all([first.refresh(), second.refresh()])).toEqual([true, true]);
    expect(fetches).toBe(1);
    expect(await second.refresh()).toBe(false);
    expect(fetches).toBe(2);
  });

  it('drops what was fetched from another place', async () => {
    const cacheFolder = join(plant({}), 'place');
    const first = open(
      origin(() => ({ 'a/SKILL.md': TEA })),
      { cacheFolder },
    );
    await first.refresh();
    const second = open(
      origin(() => new Error('It is away'), { key: ['elsewhere'] }),
      { cacheFolder },
    );
    expect(second.status().resolved).toBeNull();
    await second.refresh();
    expect((await second.scan()).folders).toEqual([]);
  });

  it('refuses a version other than the pinned one, and says what to do', async () => {
    const source = open(
      origin(() => ({ 'a/SKILL.md': TEA })),
      { pinned: 'sha256:0' },
    );
    expect(await source.refresh()).toBe(false);
    expect(source.status().failure).toMatch(
      /records sha256:0, but the origin has sha256:[0-9a-f]{64}.*--frozen/,
    );
    expect((await source.scan()).folders).toEqual([]);
  });

  it('closes the origin’s connections once, and aborts a running fetch', async () => {
    let closed = 0;
    const source = open(
      origin(() => ({}), {
        fetch: () => new Promise(() => {}),
        close: async () => {
          closed += 1;
        },
      }),
    );
    const refreshed = source.refresh();
    await source.close();
    expect(await refreshed).toBe(false);
    expect(closed).toBe(1);
  });

  it('removes partial files of a killed process', async () => {
    const cacheFolder = join(
      plant({ 'place/aside/17': 'half', 'place/aside/git/objects/x': 'half' }),
      'place',
    );
    const source = open(
      origin(() => ({ 'tea/SKILL.md': TEA })),
      { cacheFolder },
    );
    writeFileSync(join(cacheFolder, 'contents.json'), '{"form');
    expect(await source.refresh()).toBe(true);
    expect(readdirSync(join(cacheFolder, 'aside'))).toEqual([]);
  });
});
