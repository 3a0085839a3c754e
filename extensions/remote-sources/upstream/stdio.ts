/**
 * The pipes to a program that speaks MCP on stdin and stdout. It handles every way in which a program can misbehave:
 * endless messages, other output between them, endless stderr, exit at any time, and children that outlive it.
 */

import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { deserializeMessage, type JSONRPCMessage, serializeMessage } from '@modelcontextprotocol/client';
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import { withTimeout } from '../../../src/base/timing.ts';
import { UpstreamError } from '../../../src/sources/upstream.ts';
import type { ProgramAddress } from './address.ts';

/**
 * Longest message or HTTP answer, bytes: the Skills extension allows 16 MiB for a skill's files, which is 22 MiB in
 * base64 if that is one file.
 */
export const MAX_MESSAGE_BYTES = 32 * 2 ** 20;
/** Unsolicited messages and characters per window. Progress notifications of many calls stay below that. */
const WINDOW_MS = 10_000;
const MAX_WINDOW_MESSAGES = 5_000;
const MAX_WINDOW_CHARACTERS = 16 * 2 ** 20;
/** How long a program may take to exit after its stdin ended, and then after SIGTERM, ms. */
const GRACE_MS = 1_500;
/** Pause after each chunk of stderr, ms. It slows a flood to a few MB/s and does not affect normal output. */
const STDERR_PAUSE_MS = 20;
/** Characters of stderr that are kept for error messages. */
const STDERR_CHARACTERS = 4_000;
const ON_POSIX = process.platform !== 'win32';

/** A transport of the SDK. `stderr` and `pid` make the SDK treat silence as an old server, not as an outage. */
export class StdioTransport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;
  readonly stderr = null;
  readonly #address: ProgramAddress;
  readonly #unsolicited = new UnsolicitedBudget();
  /** Ids of requests without an answer yet: an answer to one of them is not unsolicited. */
  readonly #pending = new Set<string | number>();
  #child: ChildProcess | undefined;
  #exited: Promise<void> = Promise.resolve();
  /** Chunks of an incomplete line. */
  #chunks: Buffer[] = [];
  #length = 0;
  #stderrEnd = '';
  #hasExited = false;
  #isClosed = false;

  constructor(address: ProgramAddress) {
    this.#address = address;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  get hasExited(): boolean {
    return this.#hasExited;
  }

  /** The end of its stderr. */
  get stderrEnd(): string {
    return this.#stderrEnd.trim();
  }

  async start(): Promise<void> {
    const child = await startChild(this.#address);
    if (this.#isClosed) {
      endGroup(child, 'SIGKILL');
      throw new UpstreamError('UPSTREAM_GONE', 'The connection was given up while its program started.');
    }
    this.#child = child;
    this.#exited = new Promise((resolve) => {
      child.once('close', () => {
        this.#hasExited = true;
        resolve();
        this.onclose?.();
      });
    });
    child.on('error', (error) => this.onerror?.(error));
    // Children that outlive it would hold the pipes open for ever.
    child.once('exit', () => setTimeout(() => this.#abandon(child), GRACE_MS).unref());
    child.stdin.on('error', (error) => this.onerror?.(error));
    child.stdout.on('data', (chunk: Buffer) => this.#receive(chunk));
    child.stdout.on('error', (error) => this.onerror?.(error));
    child.stderr.on('error', () => {});
    child.stderr.on('data', (chunk: Buffer) => {
      this.#stderrEnd = (this.#stderrEnd + chunk.subarray(-STDERR_CHARACTERS).toString('utf8')).slice(
        -STDERR_CHARACTERS,
      );
      child.stderr.pause();
      setTimeout(() => child.stderr.resume(), STDERR_PAUSE_MS).unref();
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    const input = this.#child?.stdin;
    if (input === null || input === undefined || !input.writable)
      return Promise.reject(new UpstreamError('UPSTREAM_GONE', 'The program has ended.'));
    if ('method' in message && 'id' in message) this.#pending.add(message.id);
    return new Promise((resolve, reject) => {
      input.write(serializeMessage(message), (error) =>
        error ? reject(new UpstreamError('UPSTREAM_GONE', 'The program has ended.')) : resolve(),
      );
    });
  }

  /** Resolves once it has exited, by itself or by force. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const child = this.#child;
    if (child === undefined) return;
    this.#child = undefined;
    child.stdin?.end();
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (await exitsInTime(this.#exited)) return;
      endGroup(child, signal);
    }
    if (!(await exitsInTime(this.#exited))) this.#abandon(child);
  }

  #receive(chunk: Buffer): void {
    let rest = chunk;
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      this.#chunks.push(rest.subarray(0, end));
      const line = Buffer.concat(this.#chunks).toString('utf8');
      this.#chunks = [];
      this.#length = 0;
      rest = rest.subarray(end + 1);
      if (line.trim() !== '' && !this.#read(line)) return;
    }
    this.#length += rest.length;
    if (rest.length > 0) this.#chunks.push(rest);
    if (this.#length > MAX_MESSAGE_BYTES)
      this.#fail(`sent a message of more than ${MAX_MESSAGE_BYTES} bytes`);
  }

  /** False if the line made us end the program. */
  #read(line: string): boolean {
    let message: JSONRPCMessage | undefined;
    try {
      message = deserializeMessage(line);
    } catch {
      // Programs print other text to stdout; a little of that is tolerated.
    }
    const isAnswer =
      message !== undefined &&
      !('method' in message) &&
      message.id !== undefined &&
      this.#pending.delete(message.id);
    if (!isAnswer && !this.#unsolicited.allows(line.length)) {
      this.#fail('floods its stdout with unsolicited output');
      return false;
    }
    if (message !== undefined) this.onmessage?.(message);
    return true;
  }

  #fail(what: string): void {
    const child = this.#child;
    if (child === undefined) return;
    child.stdout?.removeAllListeners('data').resume();
    this.#chunks = [];
    this.onerror?.(new UpstreamError('UPSTREAM_FLOOD', `The program ${what}; it was ended.`));
    endGroup(child, 'SIGKILL');
    this.close().catch(() => {});
  }

  #abandon(child: ChildProcess): void {
    endGroup(child, 'SIGKILL');
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
  }
}

async function startChild({
  command,
  args,
  env,
  cwd,
}: ProgramAddress): Promise<ChildProcessByStdio<Writable, Readable, Readable>> {
  const child = spawn(command, [...args], {
    env: { ...getDefaultEnvironment(), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    // Its own process group, so that its children can be ended with it.
    detached: ON_POSIX,
    windowsHide: true,
    cwd,
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  return child;
}

function endGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (ON_POSIX && child.pid !== undefined) process.kill(-child.pid, signal);
    else child.kill(signal);
  } catch {
    // It has already exited.
  }
}

const exitsInTime = (exited: Promise<void>): Promise<boolean> =>
  withTimeout(
    exited.then(() => true),
    GRACE_MS,
    () => false,
  );

/** Limits the messages that a server sends without a request. `now` is in ms. */
export class UnsolicitedBudget {
  readonly #now: () => number;
  #since = Number.NEGATIVE_INFINITY;
  #messages = 0;
  #characters = 0;

  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /** Counts a message. False once there are too many. */
  allows(characters: number): boolean {
    const now = this.#now();
    if (now - this.#since > WINDOW_MS) {
      this.#since = now;
      this.#messages = 0;
      this.#characters = 0;
    }
    this.#messages += 1;
    this.#characters += characters;
    return this.#messages <= MAX_WINDOW_MESSAGES && this.#characters <= MAX_WINDOW_CHARACTERS;
  }
}
