/** The contract of every fetched source, run over each kind with a double of its origin. */

import { lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FetchedSource, FetchOptions, SourceStatus } from '../../src/sources/fetched.ts';
import { endWithTest } from '../end-with-test.ts';
import { plant, skillText } from '../src/sources/scan/tree.ts';

/** A repository, server or file that the test controls. */
export interface OriginDouble {
  readonly kind: SourceStatus['kind'];
  /** Makes it have exactly these files, by path; skills are the folders with a SKILL.md. */
  hold(files: Readonly<Record<string, string>>): Promise<void>;
  /** Makes it unreachable; `up` undoes that. */
  down(): Promise<void>;
  up(): Promise<void>;
  /** Makes it accept requests and never answer; absent if the kind makes no requests. Undone by `up`. */
  stall?(): Promise<void>;
  source(options: FetchOptions): FetchedSource;
  /** The source's credential; null if the kind has none. */
  readonly secret: string | null;
  close(): Promise<void>;
}

/** Default options, which a test may override. */
export const fetchOptions = (cacheFolder: string, more: Partial<FetchOptions> = {}): FetchOptions => ({
  name: 'team',
  cacheFolder,
  refreshMs: 60_000,
  timeoutMs: 60_000,
  maxSkills: 100,
  maxBytes: 2 ** 20,
  pinned: null,
  now: () => new Date(),
  ...more,
});

const TEA = skillText('tea');
const POT = skillText('pot');
const TWO = { 'tea/SKILL.md': TEA, 'tea/references/a.md': '# A\n', 'pot/SKILL.md': POT };

export function describeFetchedSource(title: string, make: () => Promise<OriginDouble>): void {
  async function start(files: Readonly<Record<string, string>> = TWO, more: Partial<FetchOptions> = {}) {
    const origin = await make();
    const cacheFolder = plant({});
    const sources: FetchedSource[] = [];
    endWithTest(async () => {
      for (const source of sources) await source.close();
      await origin.close();
    });
    await origin.hold(files);
    const open = (other: Partial<FetchOptions> = {}) => {
      const source = origin.source(fetchOptions(cacheFolder, { ...more, ...other }));
      sources.push(source);
      return source;
    };
    return { origin, cacheFolder, open, source: open() };
  }

  const idsOf = async (source: FetchedSource) => (await source.scan()).folders.map(({ id }) => id);
  const stampsOf = async (source: FetchedSource) =>
    Object.fromEntries((await source.scan()).folders.map(({ id, stamp }) => [id, stamp]));

  /** Refreshes and expects success. */
  async function refreshed(source: FetchedSource): Promise<boolean> {
    const changed = await source.refresh();
    expect(source.status().failure).toBeNull();
    return changed;
  }

  describe(`${title}, as a FetchedSource`, () => {
    it('has no skills before the first fetch, and says so', async () => {
      const { source, origin } = await start();
      expect(source.status()).toMatchObject({
        name: 'team',
        kind: origin.kind,
        resolved: null,
        verifiedAt: null,
        failure: null,
      });
      const { folders, diagnostics } = await source.scan();
      expect({ folders, ids: diagnostics.map(({ id }) => id) }).toEqual({
        folders: [],
        ids: ['source-unfetched'],
      });
    });

    it('has every skill with its files after the first fetch', async () => {
      const { source } = await start();
      expect(await refreshed(source)).toBe(true);
      const { folders, diagnostics } = await source.scan();
      expect(folders.map(({ id, uri, files }) => [id, uri, files.map(({ path }) => path)])).toEqual([
        ['pot', 'skill://team/pot/SKILL.md', ['SKILL.md']],
        ['tea', 'skill://team/tea/SKILL.md', ['SKILL.md', 'references/a.md']],
      ]);
      expect(diagnostics).toEqual([]);
      expect(readFileSync(join(folders[1]!.folder, 'SKILL.md'), 'utf8')).toBe(TEA);
      const { resolved, verifiedAt } = source.status();
      expect(resolved).toMatch(/^(?:sha256:[0-9a-f]{64}|[0-9a-f]{40})$/);
      expect(Number.isNaN(Date.parse(verifiedAt ?? ''))).toBe(false);
    });

    it('writes nothing if nothing changed, and records the time of the check', async () => {
      let time = Date.parse('2026-01-01T00:00:00Z');
      const { source, cacheFolder } = await start(TWO, { now: () => new Date(time) });
      await refreshed(source);
      const [before, scan] = [statesBelow(join(cacheFolder, 'tree')), await source.scan()];
      time += 60_000;
      expect(await refreshed(source)).toBe(false);
      expect(statesBelow(join(cacheFolder, 'tree'))).toEqual(before);
      expect(await source.scan()).toEqual(scan);
      expect(source.status().verifiedAt).toBe('2026-01-01T00:01:00.000Z');
    });

    it('changes only the stamp of the changed skill', async () => {
      const { source, origin } = await start();
      await refreshed(source);
      const [before, resolved] = [await stampsOf(source), source.status().resolved];
      await origin.hold({ ...TWO, 'tea/references/a.md': '# B\n' });
      expect(await refreshed(source)).toBe(true);
      const after = await stampsOf(source);
      expect(after.pot).toBe(before.pot);
      expect(after.tea).not.toBe(before.tea);
      expect(source.status().resolved).not.toBe(resolved);
    });

    it('changes both stamps if two files of equal size swap places', async () => {
      const swap = (a: string, b: string) => ({ ...TWO, 'tea/x.md': a, 'pot/x.md': b });
      const { source, origin } = await start(swap('one', 'two'));
      await refreshed(source);
      const before = await stampsOf(source);
      await origin.hold(swap('two', 'one'));
      expect(await refreshed(source)).toBe(true);
      const after = await stampsOf(source);
      expect(after.tea).not.toBe(before.tea);
      expect(after.pot).not.toBe(before.pot);
    });

    it('adds and removes skills', async () => {
      const { source, origin } = await start();
      await refreshed(source);
      const { 'tea/SKILL.md': tea, ...others } = TWO;
      const { 'tea/references/a.md': _, ...pot } = others;
      await origin.hold({ ...pot, 'cup/SKILL.md': skillText('cup') });
      expect(await refreshed(source)).toBe(true);
      expect(await idsOf(source)).toEqual(['cup', 'pot']);
      await origin.hold({ 'tea/SKILL.md': tea });
      expect(await refreshed(source)).toBe(true);
      expect(await idsOf(source)).toEqual(['tea']);
    });

    it('serves its last contents while the origin is away, and says how old they are', async () => {
      const { source, origin, open } = await start();
      await refreshed(source);
      const [{ verifiedAt, resolved }, stamps] = [source.status(), await stampsOf(source)];
      await origin.down();
      expect(await source.refresh()).toBe(false);
      const away = source.status();
      expect(away).toMatchObject({ verifiedAt, resolved });
      expect(away.failure).toMatch(/^[^\n]{10,600}[.!?]$/);
      expect(await stampsOf(source)).toEqual(stamps);
      expect((await source.scan()).diagnostics.map(({ id }) => id)).toEqual(['source-stale']);
      // A process that starts meanwhile does the same.
      const later = open();
      expect(later.status()).toEqual(away);
      expect(await stampsOf(later)).toEqual(stamps);

      await origin.up();
      expect(await refreshed(source)).toBe(false);
      expect((await source.scan()).diagnostics).toEqual([]);
      await origin.hold({ 'tea/SKILL.md': TEA });
      expect(await refreshed(source)).toBe(true);
      expect(await idsOf(source)).toEqual(['tea']);
    });

    it('says why there are no skills if the first fetch failed', async () => {
      const { source, origin } = await start();
      await origin.down();
      expect(await source.refresh()).toBe(false);
      expect(source.status()).toMatchObject({ resolved: null, verifiedAt: null });
      expect(source.status().failure).not.toBeNull();
      expect((await source.scan()).diagnostics).toMatchObject([{ id: 'source-unfetched' }]);
    });

    it('stays at the pinned version', async () => {
      const { source, origin, open } = await start();
      await refreshed(source);
      const { resolved } = source.status();
      const frozen = open({ pinned: resolved });
      expect(await refreshed(frozen)).toBe(false);
      await origin.hold({ 'tea/SKILL.md': skillText('tea', 'Shake.\n') });
      expect(await frozen.refresh()).toBe(false);
      expect(frozen.status().resolved).toBe(resolved);
      expect(await idsOf(frozen)).toEqual(['pot', 'tea']);
    });

    it.each([
      ['skills', { maxSkills: 1 }, /1\b/],
      ['bytes', { maxBytes: 300 }, /300 bytes/],
    ])('refuses a fetch with too many %s, and keeps its contents', async (_, limits, said) => {
      const { source, origin } = await start({ 'tea/SKILL.md': TEA }, limits);
      await refreshed(source);
      await origin.hold({
        'tea/SKILL.md': skillText('tea', 'y'.repeat(120)),
        'pot/SKILL.md': skillText('pot', 'x'.repeat(120)),
      });
      expect(await source.refresh()).toBe(false);
      expect(source.status().failure).toMatch(said);
      const { folders } = await source.scan();
      expect(folders.map(({ id }) => id)).toEqual(['tea']);
      expect(readFileSync(join(folders[0]!.folder, 'SKILL.md'), 'utf8')).toBe(TEA);
    });

    it('keeps no bytes of a refused fetch', async () => {
      const { source, origin, cacheFolder } = await start({ 'tea/SKILL.md': TEA }, { maxBytes: 1_000 });
      await refreshed(source);
      const before = statesBelow(join(cacheFolder, 'objects'));
      await origin.hold({
        'a/SKILL.md': skillText('a', 'x'.repeat(700)),
        'b/SKILL.md': skillText('b', 'x'.repeat(700)),
      });
      await source.refresh();
      expect(source.status().failure).not.toBeNull();
      expect(statesBelow(join(cacheFolder, 'objects'))).toEqual(before);
    });

    it('rejects with the reason of an aborted signal, and keeps its contents', async () => {
      const { source, origin } = await start();
      await refreshed(source);
      const stamps = await stampsOf(source);
      await expect(source.refresh(AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
      if (origin.stall !== undefined) {
        await origin.stall();
        const stop = new AbortController();
        const refreshed = source.refresh(stop.signal);
        setTimeout(() => stop.abort(new Error('too long')), 50);
        await expect(refreshed).rejects.toThrow('too long');
        await origin.up();
      }
      expect(await stampsOf(source)).toEqual(stamps);
      expect(await refreshed(source)).toBe(false);
    });

    it('gives up on an origin that never answers, and keeps its contents', async () => {
      const { source, origin, open } = await start();
      await refreshed(source);
      if (origin.stall === undefined) return;
      await origin.stall();
      const hasty = open({ timeoutMs: 300 });
      expect(await hasty.refresh()).toBe(false);
      expect(hasty.status().failure).toContain('0.3 s');
      expect(await idsOf(hasty)).toEqual(['pot', 'tea']);
    });

    it('fetches once for concurrent calls', async () => {
      const { source } = await start();
      const answers = await Promise.all([source.refresh(), source.refresh(), source.refresh()]);
      expect(answers).toEqual([true, true, true]);
      expect(await source.refresh()).toBe(false);
    });

    it('shares its folder with sources of other processes', async () => {
      const { source, open } = await start();
      const others = [source, open(), open()];
      await Promise.all(others.map((other) => other.refresh()));
      for (const other of others) {
        expect(other.status().failure).toBeNull();
        expect(await idsOf(other)).toEqual(['pot', 'tea']);
      }
    });

    it('repairs its folder', async () => {
      const { source, cacheFolder } = await start();
      await refreshed(source);
      const { folders } = await source.scan();
      const [pot, tea] = folders.map(({ folder }) => folder);
      rmSync(join(pot!, 'SKILL.md'));
      writeFileSync(join(tea!, 'more.md'), 'planted');
      expect(await refreshed(source)).toBe(true);
      expect(await idsOf(source)).toEqual(['pot', 'tea']);
      expect(readdirSync(tea!).sort()).toEqual(['SKILL.md', 'references']);
      writeFileSync(join(tea!, 'SKILL.md'), `${TEA}More.\n`);
      expect(await refreshed(source)).toBe(true);
      expect(readFileSync(join(tea!, 'SKILL.md'), 'utf8')).toBe(TEA);
      for (const file of ['state.json', 'contents.json']) {
        writeFileSync(join(cacheFolder, file), '{"half":');
        await refreshed(source);
        expect(await idsOf(source)).toEqual(['pot', 'tea']);
      }
    });

    it('creates only plain, readable files', async () => {
      const { source, cacheFolder } = await start();
      await refreshed(source);
      for (const state of Object.values(statesBelow(join(cacheFolder, 'tree')))) {
        expect(state).toMatch(/^file (?:644|755) /);
      }
    });

    it('never shows its credentials', async () => {
      const { source, origin, cacheFolder } = await start();
      if (origin.secret === null) return;
      await refreshed(source);
      await origin.down();
      await source.refresh();
      const said = JSON.stringify([source.status(), await source.scan()]);
      const kept = ['state.json', 'contents.json'].map((file) =>
        readFileSync(join(cacheFolder, file), 'utf8'),
      );
      const basic = Buffer.from(`x-access-token:${origin.secret}`).toString('base64');
      for (const text of [said, ...kept]) {
        expect(text).not.toContain(origin.secret);
        expect(text).not.toContain(basic);
      }
    });
  });
}

/** Kind, mode, inode and time of each file below a folder, by path. */
function statesBelow(folder: string): Record<string, string> {
  const states: Record<string, string> = {};
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const stats = lstatSync(join(folder, path));
    if (stats.isDirectory()) continue;
    const mode = (stats.mode & 0o7777).toString(8);
    states[path] = `${stats.isFile() ? 'file' : 'other'} ${mode} ${stats.ino} ${stats.mtimeMs}`;
  }
  return states;
}
