/**
 * The pipes to a program that speaks MCP on stdin and stdout. Everything it can do wrong ends here: messages without
 * end, noise between them, a stderr that never stops, a death at any time, children of its own that outlive it.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { deserializeMessage, type JSONRPCMessage, serializeMessage } from '@modelcontextprotocol/client';
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import type { ProgramAddress } from './address.ts';
import { PeerError } from './errors.ts';
import { MAX_MESSAGE_BYTES, Noise } from './limits.ts';

/** How long a program may take to end by itself once its stdin has ended, and then after SIGTERM, ms. */
const GRACE_MS = 1_500;
/** Pause after each piece of its stderr, ms: what floods is slowed to some MB/s, what grumbles is not noticed. */
const STDERR_PAUSE_MS = 20;
/** What is kept of its stderr, characters: the last words before a death, longer than they are told. */
const LAST_WORDS = 4_000;
const ON_POSIX = process.platform !== 'win32';

/** A transport of the SDK. `stderr` and `pid` tell the SDK that silence means an old server, not an outage. */
export class PipeTransport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;
  readonly stderr = null;
  readonly #address: ProgramAddress;
  readonly #noise: Noise;
  /** Ids of requests that were sent and not yet answered: an answer to one of them is no noise. */
  readonly #asked = new Set<string | number>();
  #child: ChildProcess | undefined;
  #ended: Promise<void> = Promise.resolve();
  #pieces: Buffer[] = [];
  #length = 0;
  #lastWords = '';
  #hasEnded = false;

  constructor(address: ProgramAddress, now: () => number) {
    this.#address = address;
    this.#noise = new Noise(now);
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** True from its death on. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** The end of what it wrote to stderr. */
  get lastWords(): string {
    return this.#lastWords.trim();
  }

  async start(): Promise<void> {
    const { command, args, env, cwd } = this.#address;
    const child = spawn(command, [...args], {
      env: { ...getDefaultEnvironment(), ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      // A group of its own, so that its children can be ended with it.
      detached: ON_POSIX,
      windowsHide: true,
      ...(cwd !== undefined && { cwd }),
    });
    this.#child = child;
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    this.#ended = new Promise((resolve) => {
      child.once('close', () => {
        this.#hasEnded = true;
        resolve();
        this.onclose?.();
      });
    });
    child.on('error', (error) => this.onerror?.(error));
    // What it left behind would hold the pipes open for ever.
    child.once('exit', () => setTimeout(() => this.#abandon(child), GRACE_MS).unref());
    child.stdin.on('error', (error) => this.onerror?.(error));
    child.stdout.on('data', (chunk: Buffer) => this.#take(chunk));
    child.stdout.on('error', (error) => this.onerror?.(error));
    child.stderr.on('error', () => {});
    child.stderr.on('data', (chunk: Buffer) => {
      this.#lastWords = (this.#lastWords + chunk.subarray(-LAST_WORDS).toString('utf8')).slice(-LAST_WORDS);
      child.stderr.pause();
      setTimeout(() => child.stderr.resume(), STDERR_PAUSE_MS).unref();
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    const input = this.#child?.stdin;
    if (input === null || input === undefined || !input.writable)
      return Promise.reject(new PeerError('PEER_GONE', 'The program has ended.'));
    if ('method' in message && 'id' in message) this.#asked.add(message.id);
    return new Promise((resolve, reject) => {
      input.write(serializeMessage(message), (error) =>
        error ? reject(new PeerError('PEER_GONE', 'The program has ended.')) : resolve(),
      );
    });
  }

  /** Resolves once it has ended, by itself or by force. */
  async close(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#child = undefined;
    child.stdin?.end();
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (await endsWithin(this.#ended, GRACE_MS)) return;
      endGroup(child, signal);
    }
    if (!(await endsWithin(this.#ended, GRACE_MS))) this.#abandon(child);
  }

  #take(chunk: Buffer): void {
    let rest = chunk;
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      this.#pieces.push(rest.subarray(0, end));
      const line = Buffer.concat(this.#pieces).toString('utf8');
      this.#pieces = [];
      this.#length = 0;
      rest = rest.subarray(end + 1);
      if (line.trim() !== '' && !this.#read(line)) return;
    }
    this.#length += rest.length;
    if (rest.length > 0) this.#pieces.push(rest);
    if (this.#length > MAX_MESSAGE_BYTES)
      this.#fail(`sent a message of more than ${MAX_MESSAGE_BYTES} bytes`);
  }

  /** False where the program was given up over the line. */
  #read(line: string): boolean {
    let message: JSONRPCMessage | undefined;
    try {
      message = deserializeMessage(line);
    } catch {
      // Programs print to stdout what belongs elsewhere; a little of that is forgiven.
    }
    const isAnswer =
      message !== undefined &&
      !('method' in message) &&
      message.id !== undefined &&
      this.#asked.delete(message.id);
    if (!isAnswer && !this.#noise.allows(line.length)) {
      this.#fail('floods its stdout with what nobody asked for');
      return false;
    }
    if (message !== undefined) this.onmessage?.(message);
    return true;
  }

  #fail(what: string): void {
    const child = this.#child;
    if (child === undefined) return;
    child.stdout?.removeAllListeners('data').resume();
    this.#pieces = [];
    this.onerror?.(new PeerError('PEER_FLOOD', `The program ${what}; it was ended.`));
    endGroup(child, 'SIGKILL');
    this.close().catch(() => {});
  }

  #abandon(child: ChildProcess): void {
    endGroup(child, 'SIGKILL');
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
  }
}

function endGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (ON_POSIX && child.pid !== undefined) process.kill(-child.pid, signal);
    else child.kill(signal);
  } catch {
    // Nothing is left of it.
  }
}

async function endsWithin(ended: Promise<void>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([ended.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
