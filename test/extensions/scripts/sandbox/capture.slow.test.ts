import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { capture } from '../../../../extensions/scripts/sandbox/pipes.ts';

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

  it('ends where the stream fails, with what came before', async () => {
    const stream = new PassThrough();
    let arrived = () => {};
    const first = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const kept = capture(
      stream,
      10,
      () => arrived(),
      () => {},
    );
    stream.write('abc');
    await first;
    stream.destroy(new Error('broken'));
    await kept.ended;
    expect(Buffer.from(kept.bytes()).toString()).toBe('abc');
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
