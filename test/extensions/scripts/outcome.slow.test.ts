/** What leaves a run: text and files without secrets. */

import { describe, expect, it } from 'vitest';
import { outcomeOf, withoutSecrets } from '../../../extensions/scripts/outcome.ts';
import { redactor } from '../../../extensions/scripts/redact.ts';

const redact = redactor(['granted-secret']);
const cleanOf = (bytes: Uint8Array) =>
  Buffer.from(withoutSecrets({ path: 'out', bytes }, redact).bytes).toString('latin1');

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
      expect(withoutSecrets(file, redact)).toBe(file);
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
  expect(outcomeOf(ran, result, redact).leftOut).toEqual([
    { path: 'link-[redacted]', reason: 'it is a link' },
  ]);
});
