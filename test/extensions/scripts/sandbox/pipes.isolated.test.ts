import { readdirSync, writeSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makePipes } from '../../../../extensions/scripts/sandbox/pipes.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
  vi.stubEnv('TMPDIR', folder);
});
afterEach(() => vi.unstubAllEnvs());

describe.skipIf(process.platform !== 'linux')('makePipes', () => {
  it('gives pipes that have no name any more, each with its own bytes', async () => {
    const pipes = await makePipes(2);
    expect(readdirSync(folder)).toEqual([]);
    for (const [at, { writeEnd }] of pipes.entries()) writeSync(writeEnd, `pipe ${at}`);
    for (const pipe of pipes) {
      pipe.handOver();
      // The number may be another file by then.
      pipe.handOver();
    }
    expect(await Promise.all(pipes.map(({ reader }) => text(reader)))).toEqual(['pipe 0', 'pipe 1']);
  });

  it('finds its program without the environment of this process', async () => {
    vi.stubEnv('PATH', '/nowhere');
    const [pipe] = await makePipes(1);
    pipe?.handOver();
    expect(await text(pipe!.reader)).toBe('');
  });
});
