import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { watch } from '../../../src/app/freshness.ts';
import { readSettings } from '../../../src/app/settings.ts';
import { plant, skillText } from '../sources/scan/tree.ts';

let ending: AbortController;
beforeEach(() => {
  ending = new AbortController();
});
afterEach(() => ending.abort());

it('a file of requests that is written, replaced, edited or removed makes everything due for a check', async () => {
  const place = plant({ 'skills/tea/SKILL.md': skillText('tea'), home: null });
  const home = join(place, 'home');
  const settings = await readSettings({ skills: [join(place, 'skills')] }, { cwd: place, home, env: {} });
  const [file = ''] = settings.sources.flatMap(({ requests }) => requests ?? []);
  const seen: (readonly string[] | null)[] = [];
  let flush: () => Promise<void> = async () => {};
  const library = {
    notice: (paths: readonly string[] | null = null) => void seen.push(paths),
    watcherStarting() {},
    watcherReady(report: typeof flush | null = null) {
      flush = report ?? flush;
    },
    watcherLost: () => expect.unreachable(),
  };
  await watch(library, settings, () => {}, ending.signal);
  const isNoticed = async (change: () => void) => {
    seen.length = 0;
    change();
    await expect.poll(() => flush().then(() => seen)).toContain(null);
  };
  mkdirSync(dirname(file), { recursive: true });
  await isNoticed(() => writeFileSync(file, '{}\n'));
  await isNoticed(() => {
    writeFileSync(`${file}.new`, '{"skill":"a"}\n');
    renameSync(`${file}.new`, file);
  });
  await isNoticed(() => writeFileSync(file, '{"skill":"b"}\n'));
  await isNoticed(() => rmSync(file));
});
