import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cleaned,
  cleanFile,
  cleanLines,
  plain,
  redactor,
  toOutcome,
} from '../../../extensions/scripts/output.ts';

const redact = redactor(['granted-secret', 'short']);

describe('redactor', () => {
  it.each([
    [`github_pat_${'a'.repeat(30)}`],
    [`sk-ant-${'a'.repeat(30)}`],
    ['-----BEGIN RSA PRIVATE KEY-----\nnever ends'],
    ['granted-secret'],
  ])('hides %j', (secret) => {
    expect(redact(`before ${secret}`)).toBe('before [redacted]');
  });

  it('redacts only the secret part of headers and URLs', () => {
    expect(redact('Authorization: Bearer abcdefgh123')).toBe('Authorization: Bearer [redacted]');
    expect(redact('postgres://user:hunter22@host/db')).toBe('postgres://[redacted]@host/db');
  });

  it('leaves other text unchanged', () => {
    const text = 'short words, a sha256 e3b0c44298fc1c149afbf4c8996fb924, sk-small, http://host:80/a@b';
    expect(redact(text)).toBe(text);
  });
});

describe('plain', () => {
  it('removes colours, titles, bells, and characters that hide or reverse text', () => {
    expect(plain('\u001b]0;t\u0007\u001b[1mbold\u001b[0m\u0008 \u202eevil\u2066 a\u0000b\u{e0041}')).toBe(
      'bold evil ab',
    );
  });

  it('keeps lines, tabs, and joiners', () => {
    expect(plain('a\r\nb\rc\td\u200de')).toBe('a\nb\nc\td\u200de');
  });

  it('leaves no control character of any input', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(plain(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
      }),
    );
  });
});

describe('cleaned', () => {
  it('cleans every string of a value and keeps the rest', () => {
    expect(cleaned({ a: ['\u001b[1mx', 1, null, true], 'k\u0007': { b: 'granted-secret' } }, redact)).toEqual(
      { a: ['x', 1, null, true], k: { b: '[redacted]' } },
    );
  });

  it('keeps member names that are special to JavaScript', () => {
    const value = cleaned(JSON.parse('{"__proto__":{"x":1}}'), redact);
    expect(Object.keys(value as object)).toEqual(['__proto__']);
    expect(({} as { x?: number }).x).toBeUndefined();
  });
});

const cleanOf = (bytes: Uint8Array) =>
  Buffer.from(cleanFile({ path: 'out', bytes }, redact).bytes).toString('latin1');

describe('an output file', () => {
  it('is redacted if it is text, in UTF-8 and in any encoding that extends ASCII', () => {
    expect(cleanOf(Buffer.from('key granted-secret\n'))).toBe('key [redacted]\n');
    // "café" in Latin-1 is not UTF-8.
    expect(cleanOf(Buffer.from('caf\u00e9 granted-secret \u00ff', 'latin1'))).toBe(
      'caf\u00e9 [redacted] \u00ff',
    );
  });

  it('keeps every byte if it holds no secret, or is binary', () => {
    const binary = Buffer.from([0, 255, ...Buffer.from('granted-secret')]);
    const latin = Buffer.from(Array.from({ length: 255 }, (_, at) => at + 1));
    for (const bytes of [binary, latin]) {
      const file = { path: 'out', bytes };
      expect(cleanFile(file, redact)).toBe(file);
    }
  });
});

it('names of files that were left out are redacted', () => {
  const result = {
    exitCode: 0,
    signal: null,
    killedBy: null,
    stdout: new Uint8Array(),
    stderr: new Uint8Array(),
    truncated: false,
    files: [],
    leftOut: [{ path: 'link-granted-secret', reason: 'it is a link' }],
    wallMs: 1,
    cpuMs: 1,
    peakBytes: 1,
  };
  const ran = {
    skill: 's',
    digest: 'd',
    path: 'p',
    runId: 'r',
    files: [],
    wanted: [],
    traffic: { reached: [], refused: [] },
  };
  expect(toOutcome(ran, result, redact).leftOut).toEqual([
    { path: 'link-[redacted]', reason: 'it is a link' },
  ]);
});

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
