/** A site whose artifacts never end costs neither memory nor the skills that are in order. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { wellKnownSource } from '../../extensions/remote-sources/well-known/source.ts';
import { fetchOptions } from '../contracts/fetched-source.ts';
import { endWithTest } from '../end-with-test.ts';
import { site } from '../extensions/remote-sources/well-known/site.ts';
import { plant, skillText } from '../src/sources/scan/tree.ts';

const MIB = 2 ** 20;
/** Of the source; its whole downloads may take as much on disk. */
const MAX_BYTES = 96 * MIB;

it('four endless artifacts are given up one by one, and the good skill is served', async () => {
  const origin = await site();
  origin.hold({ 'tea/SKILL.md': skillText('tea') });
  const serve = origin.server.answer;
  const chunk = Buffer.alloc(MIB, 'x');
  origin.server.answer = (request, response) => {
    if (!request.url?.includes('endless')) return serve(request, response);
    const pour = () => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on('drain', pour);
    pour();
  };
  const digest = `sha256:${'0'.repeat(64)}`;
  const endless = ['skill-md', 'archive', 'archive', 'archive'].map((type, at) => ({
    name: `bad-${at}`,
    type,
    description: 'Endless.',
    url: `endless-${at}`,
    digest,
  }));
  origin.entries = [...endless, ...origin.entries];
  const cacheFolder = join(plant({}), 'place');
  const source = wellKnownSource({
    ...fetchOptions(cacheFolder, { maxBytes: MAX_BYTES }),
    url: origin.server.origin,
    headers: {},
    allowPrivate: true,
  });
  endWithTest(() => source.close());
  const before = process.memoryUsage();
  let peak = 0;
  const sampling = setInterval(() => {
    const { arrayBuffers, heapUsed } = process.memoryUsage();
    peak = Math.max(peak, arrayBuffers + heapUsed - before.arrayBuffers - before.heapUsed);
  }, 5);
  await source.refresh();
  clearInterval(sampling);
  const { folders, diagnostics } = await source.scan();
  expect(folders.map(({ id }) => id)).toEqual(['tea']);
  expect(diagnostics.map(({ id, path }) => `${id} ${path}`).sort()).toEqual(
    [0, 1, 2, 3].map((at) => `entry-failed bad-${at}`),
  );
  expect(source.status().failure).toBeNull();
  // The server of the test keeps some chunks itself; the artifacts had 100 MiB and more.
  expect(peak).toBeLessThan(64 * MIB);
  expect(readdirSync(join(cacheFolder, 'aside'))).toEqual([]);
});
