/** From a sandbox's result to the reported outcome: text without control sequences, secrets redacted, JSON parsed. */

import { isUtf8 } from 'node:buffer';
import { parseJson } from '../../src/base/json.ts';
import type { ScriptOutcome } from '../../src/gateway/scripts.ts';
import { cleaned, plain, type Redact } from './redact.ts';
import type { RunResult } from './sandbox/sandbox.ts';

/** The part of the outcome that describes what was run. */
export type Ran = Pick<ScriptOutcome, 'skill' | 'digest' | 'path' | 'runId' | 'files' | 'wanted' | 'traffic'>;

export function outcomeOf(ran: Ran, result: RunResult, redact: Redact): ScriptOutcome {
  const text = (bytes: Uint8Array) => redact(plain(Buffer.from(bytes).toString('utf8')));
  const json = result.truncated ? undefined : jsonIn(result.stdout);
  return {
    ...ran,
    traffic: {
      reached: ran.traffic.reached,
      refused: ran.traffic.refused.map(({ domain, reason }) => ({ domain: redact(domain), reason })),
    },
    exitCode: result.exitCode,
    signal: result.signal,
    killedBy: result.killedBy,
    stdout: text(result.stdout),
    stderr: text(result.stderr),
    truncated: result.truncated,
    ...(json !== undefined && { json: cleaned(json, redact) }),
    leftOut: result.leftOut.map(({ path, reason }) => ({ path: redact(plain(path)), reason })),
    durationMs: Math.round(result.wallMs),
    cpuMs: result.cpuMs,
    peakBytes: result.peakBytes,
  };
}

/** Standard output as JSON where it is an object or a list. A lone number or word is text. */
function jsonIn(stdout: Uint8Array): unknown {
  const text = Buffer.from(stdout).toString('utf8').trim();
  return /^[[{]/.test(text) ? parseJson(text) : undefined;
}

/** Redacts secrets in a text file, also of an encoding that extends ASCII. Files with a NUL byte stay unchanged. */
export function withoutSecrets<File extends { readonly path: string; readonly bytes: Uint8Array }>(
  file: File,
  redact: Redact,
): File {
  const bytes = Buffer.from(file.bytes.buffer, file.bytes.byteOffset, file.bytes.length);
  if (bytes.includes(0)) return file;
  // Latin-1 keeps every byte, whatever encoding it is of.
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
  const text = bytes.toString(encoding);
  const clean = redact(text);
  return clean === text ? file : { ...file, bytes: Buffer.from(clean, encoding) };
}
