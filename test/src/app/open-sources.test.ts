import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXTENSIONS } from '../../../extensions/extensions.ts';
import { DEFAULTS } from '../../../src/app/config/defaults.ts';
import { type SourceConfig, sourceSchema } from '../../../src/app/config/schema.ts';
import { fetchFor, openSources } from '../../../src/app/open-sources.ts';
import type { SourceSettings } from '../../../src/app/source-settings.ts';
import { type FakeSource, fakeSource } from '../sources/scan/fake-source.ts';
import { plant } from '../sources/scan/tree.ts';

const settingsOf = (name: string, source: unknown, fetchFolder = '/nowhere'): SourceSettings => {
  const config: SourceConfig = sourceSchema.parse(source);
  return { name, config, token: undefined, fetchFolder, optional: false, links: 'follow' };
};
describe('openSources', () => {
  const git = settingsOf('team', { kind: 'git', url: 'https://a.org/x.git' });
  const local = settingsOf('ours', { kind: 'local', root: '/x' });
  const frozenBy = (lock: unknown, sources = [git, local]) => {
    const lockFile = join(plant({ 'skillgate.lock.json': JSON.stringify(lock) }), 'skillgate.lock.json');
    return openSources(
      { sources, lockFile, frozen: true, config: DEFAULTS, extensions: EXTENSIONS },
      { env: {} },
    );
  };
  const entry = { kind: 'git', origin: 'https://a.org/x.git', resolved: 'c0ffee' };

  it('scans a folder in place, and needs no extension for it', async () => {
    const folder = settingsOf('ours', { kind: 'local', root: plant({ 'a/SKILL.md': 'x' }) });
    const settings = { lockFile: null, frozen: false, config: DEFAULTS, extensions: [] };
    const { all, fetched } = await openSources({ ...settings, sources: [folder] }, { env: {} });
    expect(fetched).toEqual([]);
    expect((await all[0]!.scan()).folders.map(({ id }) => id)).toEqual(['a']);
    await expect(openSources({ ...settings, sources: [git] }, { env: {} })).rejects.toThrow(
      'local folders alone',
    );
  });

  it('opens only sources of the lockfile when frozen', async () => {
    await (await frozenBy({ version: 1, sources: { team: entry } })).close();
    const usage = expect.objectContaining({ code: 'LOCK_MISMATCH' });
    await expect(frozenBy({ version: 1, sources: {} })).rejects.toEqual(usage);
    await expect(
      frozenBy({ version: 1, sources: { team: { ...entry, origin: 'https://b.org/x.git' } } }),
    ).rejects.toThrow('--frozen moves no source');
    await expect(
      openSources(
        { sources: [git], lockFile: null, frozen: true, config: DEFAULTS, extensions: EXTENSIONS },
        { env: {} },
      ),
    ).rejects.toEqual(usage);
  });
});

describe('fetchFor', () => {
  const HOUR = 3_600_000;
  let time = 0;
  const now = () => time;

  /** One never fetched, one fresh, one old. */
  async function three(): Promise<FakeSource[]> {
    time = 1_000_000_000_000;
    const [fresh, old, unknown] = ['fresh', 'old', 'unknown'].map((name) => fakeSource(name, HOUR, now)) as [
      FakeSource,
      FakeSource,
      FakeSource,
    ];
    await old.refresh();
    time += 2 * HOUR;
    await fresh.refresh();
    return [fresh, old, unknown];
  }

  async function fetched(
    fetching: 'missing' | 'due' | 'none',
    change: (sources: FakeSource[]) => void = () => {},
  ) {
    const sources = await three();
    change(sources);
    const said: string[] = [];
    const lockFile = join(plant({}), 'skillgate.lock.json');
    const settings = { lockFile, frozen: false, configured: ['fresh', 'old', 'unknown'] };
    await fetchFor(fetching, { fetched: sources }, settings, { now, log: (line) => said.push(line) });
    return { fetches: sources.map((source) => source.fetches), said, lockFile };
  }

  it('fetches what was never fetched, and logs the age of stale sources once', async () => {
    const { fetches, said, lockFile } = await fetched('missing');
    expect(fetches).toEqual([1, 1, 1]);
    expect(said).toEqual(['Fetching unknown.', 'The source old was last checked 2 hours ago.']);
    expect(existsSync(lockFile)).toBe(false);
  });

  it('fetches all due sources and writes the lockfile, for commands that update the catalog', async () => {
    const { fetches, said, lockFile } = await fetched('due');
    expect(fetches).toEqual([1, 2, 1]);
    expect(said).toEqual(['Fetching old, unknown.', `Wrote ${lockFile}.`]);
    expect(Object.keys(JSON.parse(readFileSync(lockFile, 'utf8')).sources)).toEqual([
      'fresh',
      'old',
      'unknown',
    ]);
  });

  it('fetches nothing with `none`, and logs what is missing', async () => {
    const { fetches, said } = await fetched('none');
    expect(fetches).toEqual([1, 1, 0]);
    expect(said).toContain('The source unknown has never been fetched: its skills are missing.');
  });

  it('continues after a failed source, and logs the reason', async () => {
    const { fetches, said } = await fetched('due', ([, old]) => {
      old!.answer = new Error('Nobody there.');
    });
    expect(fetches).toEqual([1, 2, 1]);
    expect(said).toContain(
      'The source old could not be refreshed and shows its state of 2 hours ago. Nobody there.',
    );
  });
});
