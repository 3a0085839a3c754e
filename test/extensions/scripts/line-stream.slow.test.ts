import { describe, expect, it } from 'vitest';
import { cleanLines } from '../../../extensions/scripts/line-stream.ts';
import { redactor } from '../../../extensions/scripts/redact.ts';

function linesOf(...chunks: readonly (string | Uint8Array)[]): string[] {
  const lines: string[] = [];
  const feed = cleanLines(redactor(['granted-secret']), (line) => lines.push(line));
  for (const chunk of chunks) feed(Buffer.from(chunk));
  return lines;
}

describe('cleanLines', () => {
  it('reports whole lines, wherever the stream was cut', () => {
    expect(linesOf('on', 'e\ntwo\r', '\nthree\rfour', '\n', 'unfinished')).toEqual([
      'one',
      'two',
      'three',
      'four',
    ]);
    const [head, tail] = [Buffer.from('ü\n').subarray(0, 1), Buffer.from('ü\n').subarray(1)];
    expect(linesOf(head, tail)).toEqual(['ü']);
  });

  it('reports no secret, even if it arrives in two pieces', () => {
    expect(linesOf('x granted-', 'secret\n')).toEqual(['x [redacted]']);
    expect(
      linesOf('-----BEGIN PRIVATE KEY-----\nMIIabc\n', 'more\n-----END PRIVATE KEY-----\nafter\n'),
    ).toEqual(['after']);
  });

  it('reports an endless line in pieces', () => {
    expect(linesOf('x'.repeat(9_000)).map((line) => line.length)).toEqual([4_000, 4_000]);
  });
});
