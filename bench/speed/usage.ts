/** Runs a program to its end and says what it took and used. */

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import * as z from 'zod';
import { quantile } from '../../src/evaluation/public.ts';

const PROBE = new URL('usage-probe.mjs', import.meta.url).href;

/** What a process used from its start to its end, all threads together. */
export interface Usage {
  readonly cpuMs: number;
  /** Largest resident set. */
  readonly peakBytes: number;
  /** Resident set at the end. */
  readonly bytes: number;
}

export interface Finished extends Usage {
  readonly wallMs: number;
  readonly stdout: string;
}

const usage = z.object({ cpuMs: z.number(), peakBytes: z.number(), bytes: z.number() });

/** Environment that makes a Node process report its usage, and how to read the report once it has ended. */
export function probed(): { readonly env: Record<string, string>; readonly read: () => Promise<Usage> } {
  const file = join(mkdtempSync(join(tmpdir(), 'skillgate-usage-')), 'usage.json');
  return {
    env: { ...inherited(), NODE_OPTIONS: `--import=${PROBE}`, SKILLGATE_BENCH_USAGE: file },
    read: async () => {
      // A server's last words come a little after its pipes have closed.
      for (let waited = 0; !existsSync(file); waited += 10) {
        if (waited > 5_000) throw new Error('The measured process ended without a report: was it killed?');
        await setTimeout(10);
      }
      const report = usage.parse(JSON.parse(readFileSync(file, 'utf8')));
      rmSync(dirname(file), { recursive: true });
      return report;
    },
  };
}

function inherited(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** Runs `node args…`. Rejects where it ends with another code than 0, with what it said. */
export async function runNode(args: readonly string[]): Promise<Finished> {
  const { env, read } = probed();
  const start = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  const wallMs = performance.now() - start;
  if (code !== 0) throw new Error(`node ${args.join(' ')} ended with ${code}: ${stderr.trim()}`);
  return { ...(await read()), wallMs, stdout };
}

/** Runs are no longer repeated once they have taken this long together, ms: chance weighs little in a long run. */
const ENOUGH_MS = 15_000;

/** The median of each figure over `times` runs, or fewer where they are slow, and the output of the last. */
export async function medianOf(times: number, run: () => Promise<Finished>): Promise<Finished> {
  const all: Finished[] = [];
  let spent = 0;
  while (all.length < times && spent < ENOUGH_MS) {
    const finished = await run();
    all.push(finished);
    spent += finished.wallMs;
  }
  const median = (figure: (run: Finished) => number) => quantile(all.map(figure), 0.5);
  return {
    wallMs: median((run) => run.wallMs),
    cpuMs: median((run) => run.cpuMs),
    peakBytes: median((run) => run.peakBytes),
    bytes: median((run) => run.bytes),
    stdout: all.at(-1)?.stdout ?? '',
  };
}
