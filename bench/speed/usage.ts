/** Runs a program to its end and measures its time, CPU time and memory. */

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import * as z from 'zod';
import { quantile } from '../evaluation/statistics.ts';

const PROBE = new URL('usage-probe.mjs', import.meta.url).href;

/** Resources of a process from start to end, over all threads. */
export interface Usage {
  readonly cpuMs: number;
  /** Largest resident set. */
  readonly peakBytes: number;
  /** Resident set at the end. */
  readonly bytes: number;
}

export interface FinishedRun extends Usage {
  readonly wallMs: number;
  readonly stdout: string;
}

const usage = z.object({ cpuMs: z.number(), peakBytes: z.number(), bytes: z.number() });

/** An environment that makes a Node process write its usage, and a function that reads it after the process has ended. */
export function measuredEnvironment(): {
  readonly env: Record<string, string>;
  readonly read: () => Promise<Usage>;
} {
  const file = join(mkdtempSync(join(tmpdir(), 'skillgate-usage-')), 'usage.json');
  return {
    env: { ...inherited(), NODE_OPTIONS: `--import=${PROBE}`, SKILLGATE_BENCH_USAGE: file },
    read: async () => {
      // A server writes its usage shortly after its pipes have closed.
      for (let waited = 0; !existsSync(file); waited += 10) {
        if (waited > 5_000)
          throw new Error('The measured process ended without a usage report. It may have been killed.');
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

/** Runs `node args…`. Rejects with its standard error if the exit code is not 0, unless it may fail. */
export async function runNode(
  args: readonly string[],
  { mayFail = false }: { readonly mayFail?: boolean } = {},
): Promise<FinishedRun> {
  const { env, read } = measuredEnvironment();
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
  if (code !== 0 && !mayFail) throw new Error(`node ${args.join(' ')} exited with ${code}: ${stderr.trim()}`);
  return { ...(await read()), wallMs, stdout };
}

/** No further repeats after this total time, ms: long runs vary little. */
const ENOUGH_MS = 15_000;

/** The median of each figure over `times` runs, or fewer if they are slow, and the output of the last run. */
export async function medianOf(times: number, run: () => Promise<FinishedRun>): Promise<FinishedRun> {
  const all: FinishedRun[] = [];
  let spent = 0;
  while (all.length < times && spent < ENOUGH_MS) {
    const finished = await run();
    all.push(finished);
    spent += finished.wallMs;
  }
  const median = (figure: (run: FinishedRun) => number) => quantile(all.map(figure), 0.5);
  return {
    wallMs: median((run) => run.wallMs),
    cpuMs: median((run) => run.cpuMs),
    peakBytes: median((run) => run.peakBytes),
    bytes: median((run) => run.bytes),
    stdout: all.at(-1)?.stdout ?? '',
  };
}
