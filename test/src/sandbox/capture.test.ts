import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { capture } from '../../../src/sandbox/capture.ts';

async function captured(limit: number, ...chunks: readonly string[]) {
  const stream = new PassThrough();
  const passedOn: string[] = [];
  let overflows = 0;
  const kept = capture(
    stream,
    limit,
    (bytes) => passedOn.push(Buffer.from(bytes).toString()),
    () => {
      overflows += 1;
    },
  );
  for (const chunk of chunks) stream.write(chunk);
  stream.end();
  await kept.ended;
  return { text: Buffer.from(kept.bytes()).toString(), truncated: kept.truncated(), passedOn, overflows };
}

describe('capture', () => {
  it('keeps and passes on output within the limit', async () => {
    expect(await captured(6, 'abc', 'def')).toEqual({
      text: 'abcdef',
      truncated: false,
      passedOn: ['abc', 'def'],
      overflows: 0,
    });
  });

  it('cuts exactly at the limit, and calls back once', async () => {
    expect(await captured(4, 'abc', 'def', 'ghi')).toEqual({
      text: 'abcd',
      truncated: true,
      passedOn: ['abc', 'd'],
      overflows: 1,
    });
  });
});
