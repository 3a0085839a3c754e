/**
 * Skills of another MCP server as a source: asked for by one of the protocol's ways, checked, and kept on disk like
 * those of every fetched source. A skill that fails a check stays what it was when it last passed; the others go on.
 */

import { ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import { ZodError } from 'zod';
import { openGuard } from '../../../net/guarded-fetch.ts';
import { originOf, type PeerAddress, secretsOf } from '../../../peers/address.ts';
import { PeerError } from '../../../peers/errors.ts';
import { Peer } from '../../../peers/peer.ts';
import { PeerTools } from '../../../peers/tools.ts';
import { FetchError, type FetchErrorCode } from '../../errors.ts';
import type { FetchedSource, FetchOptions } from '../fetched.ts';
import { fetchedSource } from '../fetching.ts';
import { skillFoldersOf } from '../store/admit.ts';
import type { Contents, StoredFile } from '../store/contents.ts';
import { type Intake, tooManySkills } from '../store/intake.ts';
import { Folders } from './places.ts';
import { type Found, Reading, SkillRefused } from './reading.ts';
import { skillsVia, type Via } from './ways.ts';

/** Skills read at a time: enough to hide a network's delay, few enough to hold them in memory. */
const AT_A_TIME = 8;

export interface McpSourceOptions extends FetchOptions {
  /** A program to start; either this or `url`. */
  readonly command?: string;
  readonly args?: readonly string[];
  /** Beside the few variables that every program needs; nothing else of our environment is handed on. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** A server over Streamable HTTP. */
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Its address may be a private one. */
  readonly allowPrivate?: boolean;
  readonly via?: Via;
  /** Told to the server. */
  readonly version?: string;
}

export interface McpSource extends FetchedSource {
  /** What else the server offers. Nothing is asked before it is needed. */
  readonly tools: PeerTools;
  onNotice(listener: () => void): () => void;
}

export function mcpSource(options: McpSourceOptions): McpSource {
  const { via = 'auto', version = '0', refreshMs } = options;
  const address = addressOf(options);
  const now = () => performance.now();
  const guard = openGuard({
    privateOrigins: options.allowPrivate === true && address.kind === 'web' ? [originIn(address.url)] : [],
    // Tools may take long, and notices come when they come: each request has a time limit of its own.
    patienceMs: 0,
  });
  const peer = new Peer({ address, fetch: guard.fetch, now, version });
  const tools = new PeerTools(peer, { refreshMs, now });
  const source = fetchedSource(options, {
    kind: 'mcp',
    origin: originOf(address),
    key: [JSON.stringify(placeOf(address)), via],
    secrets: secretsOf(address),
    fetch: (intake) => fetchSkills(peer, via, intake),
  });
  return {
    ...source,
    tools,
    onNotice: (listener) => peer.onNotice('skills', listener),
    async close() {
      tools.close();
      await source.close();
      await peer.close();
      await guard.close();
    },
  };
}

function addressOf({
  name,
  command,
  args = [],
  env = {},
  cwd,
  url,
  headers = {},
}: McpSourceOptions): PeerAddress {
  if (command !== undefined) return { kind: 'program', command, args, env, cwd };
  if (url !== undefined) return { kind: 'web', url, headers };
  throw new TypeError(`The source ${name} has neither a command nor a url.`);
}

const originIn = (url: string) => (URL.canParse(url) ? new URL(url).origin : '');

/** What makes it another server. Headers and variables hold credentials, and those change. */
function placeOf(address: PeerAddress): readonly unknown[] {
  return address.kind === 'program' ? [address.command, address.args, address.cwd] : [address.url];
}

async function fetchSkills(peer: Peer, via: Via, intake: Intake): Promise<Contents> {
  try {
    return await peer.use(
      async (client) => {
        const failed = new AbortController();
        const signal = AbortSignal.any([intake.signal, failed.signal]);
        const found = skillsVia(via, new Reading(client, signal, intake.limits.maxBytes));
        const taking = new Taking(intake);
        const work = async () => {
          for (let next = await found.next(); next.done !== true; next = await found.next())
            await taking.take(next.value);
        };
        const workers = Array.from({ length: AT_A_TIME }, () =>
          work().catch((error) => {
            // The others are not to go on: nothing of this fetch is kept.
            failed.abort(error);
            throw error;
          }),
        );
        await Promise.allSettled(workers);
        if (failed.signal.aborted) throw failed.signal.reason;
        return taking.finish();
      },
      { signal: intake.signal, lateIsLost: true },
    );
  } catch (error) {
    throw error instanceof PeerError ? new FetchError(CODES[error.code], error.message) : error;
  }
}

const CODES: Readonly<Record<PeerError['code'], FetchErrorCode>> = {
  PEER_UNREACHABLE: 'FETCH_UNREACHABLE',
  PEER_FORGOT: 'FETCH_UNREACHABLE',
  PEER_GONE: 'FETCH_UNREACHABLE',
  PEER_SLOW: 'FETCH_TIMEOUT',
  PEER_FLOOD: 'FETCH_TOO_LARGE',
  PEER_ANSWER: 'FETCH_INVALID',
  PEER_REFUSED: 'FETCH_UNREACHABLE',
};

/** What one fetch takes over, skill by skill; a skill is taken whole or not at all. */
class Taking {
  readonly #intake: Intake;
  readonly #folders = new Folders();
  readonly #versions: Record<string, string> = {};
  readonly #last: ReadonlyMap<string, readonly (readonly [string, StoredFile])[]>;
  #skills = 0;

  constructor(intake: Intake) {
    this.#intake = intake;
    this.#last = bySkill(intake.last?.files ?? new Map());
  }

  async take(found: Found): Promise<void> {
    this.#skills += 1;
    if (this.#skills > this.#intake.limits.maxSkills) throw tooManySkills(this.#skills, this.#intake.limits);
    let folder: string;
    try {
      folder = this.#folders.of(found.at, found.segments);
    } catch (error) {
      this.#refuse(found.at, error, []);
      return;
    }
    const kept = this.#last.get(folder) ?? [];
    const { version } = found;
    if (version !== undefined && kept.length > 0 && this.#intake.last?.memory[folder] === version) {
      this.#keep(kept);
    } else {
      try {
        const files = await this.#store(await found.read());
        this.#keep(files.map(([path, file]) => [`${folder}/${path}`, file]));
      } catch (error) {
        this.#refuse(found.at, error, kept);
        return;
      }
    }
    if (version !== undefined) this.#versions[folder] = version;
  }

  finish(): Contents {
    return this.#intake.finish(this.#versions);
  }

  async #store(files: ReadonlyMap<string, Uint8Array>): Promise<(readonly [string, StoredFile])[]> {
    const stored: (readonly [string, StoredFile])[] = [];
    for (const [path, bytes] of files) stored.push([path, await this.#intake.store(bytes)]);
    return stored;
  }

  #keep(files: readonly (readonly [string, StoredFile])[]): void {
    for (const [path, file] of files) this.#intake.add(path, file);
  }

  /** Throws the error again where more than the one skill is at fault. */
  #refuse(at: string, error: unknown, kept: readonly (readonly [string, StoredFile])[]): void {
    if (!isOneSkills(error)) throw error;
    const reason = error instanceof Error ? error.message.replace(/\s+/g, ' ').slice(0, 500) : String(error);
    const outcome = kept.length > 0 ? 'was not updated' : 'was left out';
    const message = `${JSON.stringify(at.slice(0, 200))} ${outcome}: ${reason.replace(/[.!?]$/, '')}.`;
    this.#intake.report('skill-refused', at.slice(0, 200), message, 'Tell whoever runs the server.');
    this.#keep(kept);
  }
}

/** The files of each skill's folder, without those of skills further down. */
function bySkill(files: ReadonlyMap<string, StoredFile>): Map<string, (readonly [string, StoredFile])[]> {
  const folders = skillFoldersOf(files.keys());
  const owned = new Map<string, (readonly [string, StoredFile])[]>();
  for (const [path, file] of files) {
    let folder = path;
    do folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')));
    while (folder !== '' && !folders.has(folder));
    const own = owned.get(folder) ?? [];
    own.push([path, file]);
    owned.set(folder, own);
  }
  return owned;
}

/** True for what says nothing of the server's other skills: a check that failed, a file that it would not give. */
function isOneSkills(error: unknown): boolean {
  if (error instanceof SdkError) return error.code === SdkErrorCode.InvalidResult;
  return error instanceof SkillRefused || error instanceof ProtocolError || error instanceof ZodError;
}
