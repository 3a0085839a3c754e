/** Runs scripts of skills in a sandbox: prepares a job, waits for its turn, runs it, and keeps its output files. */

import type { CatalogEntry, ServedLibrary } from '../../src/app/extension-api.ts';
import { loggable } from '../../src/base/redaction/redact.ts';
import { GatewayError } from '../../src/gateway/gateway.ts';
import type { Principal } from '../../src/gateway/policy/principal.ts';
import { resolveSkill } from '../../src/gateway/resolve.ts';
import type {
  Caller,
  Confirm,
  PreparedRun,
  RunOptions,
  ScriptInput,
  ScriptOutcome,
  ScriptRecord,
  ScriptRequest,
  Scripts,
  Traffic,
} from '../../src/gateway/scripts.ts';
import { hashBytes } from '../../src/skills/digest.ts';
import { declaredIn } from './declared.ts';
import { FairQueue } from './fair-queue.ts';
import { DomainProxy, NO_TRAFFIC } from './network/proxy.ts';
import type { Connect } from './network/public-connect.ts';
import { cleanFile, cleanLines, redactor, toOutcome } from './output.ts';
import { OutputStore } from './output-store.ts';
import { type Limits, type RunResult, type Sandbox, SandboxError } from './sandbox/sandbox.ts';
import { prepareJob, refusal, type ScriptJob, scriptNamed, verifiedFiles } from './script-job.ts';

export interface ScriptsOptions {
  readonly library: Pick<ServedLibrary, 'current' | 'filesOf' | 'notice'>;
  readonly sandbox: Sandbox;
  /** Whether the configuration allows scripts of a skill. */
  readonly allowed: (entry: CatalogEntry) => boolean;
  /** Whether the policy allows them to a principal, in addition to `allowed`. Default: always. */
  readonly mayRun?: (principal: Principal, entry: CatalogEntry) => boolean;
  readonly confirm: Confirm;
  readonly limits: Limits;
  /** Environment variables granted to scripts, with their values. */
  readonly env: Readonly<Record<string, string>>;
  /** Domains that scripts may reach if their skills ask for them. */
  readonly domains: readonly string[];
  /** Folders that scripts may read if their skills ask for them, absolute. */
  readonly folders: readonly string[];
  /** How the proxy connects. Default: to public addresses only; tests replace it. */
  readonly connect?: Connect;
  /** Scripts that run at the same time. */
  readonly concurrency: number;
  /** Scripts that may wait. */
  readonly queue: number;
  /** How long output files are kept, ms, and how much of one run. */
  readonly keepMs: number;
  readonly keep: { readonly files: number; readonly bytes: number };
  readonly audit?: (record: ScriptRecord) => void;
  /** Unguessable, of `a-z`, `0-9` and `-`. */
  readonly newId: () => string;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
}

export class ScriptRunner implements Scripts {
  readonly confirm: Confirm;
  readonly #options: ScriptsOptions;
  readonly #queue: FairQueue;
  readonly #outputs: OutputStore;
  readonly #closing = new AbortController();
  readonly #active = new Set<Promise<unknown>>();

  constructor(options: ScriptsOptions) {
    this.#options = options;
    this.confirm = options.confirm;
    this.#queue = new FairQueue(options.concurrency, options.queue);
    this.#outputs = new OutputStore(options.keepMs, options.now);
  }

  async prepare(request: ScriptRequest, caller: Caller): Promise<PreparedRun> {
    const { principal } = caller;
    const job = await this.#jobFor(request, caller);
    const { entry, path, command, domains } = job;
    return {
      skill: entry.id,
      digest: entry.digest,
      path,
      command,
      domains,
      run: (options = {}) => {
        const running = this.#queue.run(
          principal.id,
          () => this.#run(job, principal, options),
          options.signal,
        );
        this.#active.add(running);
        const done = () => this.#active.delete(running);
        running.then(done, done);
        return running;
      },
    };
  }

  output(uri: string, principal: Principal) {
    return this.#outputs.read(uri, principal);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#active);
    this.#outputs.clear();
  }

  async #jobFor(request: ScriptRequest, { principal, gateway }: Caller): Promise<ScriptJob> {
    const { library, audit, allowed, mayRun } = this.#options;
    // The caller's view resolves the skill. Its entry comes from the catalog, since the view may mask the folder.
    const seen = await gateway.find({ skill: request.skill });
    const entry = resolveSkill((await library.current()).reader, seen.entry.uri);
    const paths = seen.files.map((file) => file.path);
    const path = scriptNamed(request.script, entry, paths);
    try {
      if (!allowed(entry) || mayRun?.(principal, entry) === false)
        throw refusal(entry, 'running its scripts is not allowed here');
      const files = await verifiedFiles(library, entry).catch((error: unknown) => {
        library.notice();
        throw error;
      });
      return prepareJob({ entry, path, files }, request, declaredIn(seen.frontmatter), this.#options);
    } catch (error) {
      audit?.(toAuditRecord(principal, { entry, path, input: request.input }, null));
      throw error;
    }
  }

  async #run(job: ScriptJob, principal: Principal, { signal, onLine }: RunOptions): Promise<ScriptOutcome> {
    const { sandbox, keep, connect, audit, newId } = this.#options;
    const { entry, path, wanted, domains } = job;
    const redact = redactor(Object.values(job.env));
    const readers = {
      stdout: cleanLines(redact, (line) => onLine?.('stdout', line)),
      stderr: cleanLines(redact, (line) => onLine?.('stderr', line)),
    };
    const [command, ...args] = job.command;
    const proxy = domains.length === 0 ? null : new DomainProxy({ domains, connect });
    const result = await sandboxed(() =>
      sandbox.run({
        command,
        args,
        readOnly: job.files,
        folders: job.folders,
        work: job.given.files,
        stdin: job.given.stdin,
        env: job.env,
        limits: job.limits,
        ...(proxy !== null && { network: proxy }),
        keep,
        signal: AbortSignal.any([this.#closing.signal, ...(signal === undefined ? [] : [signal])]),
        onOutput: (stream, bytes) => readers[stream](bytes),
      }),
    ).finally(() => proxy?.close());
    const traffic = proxy?.traffic() ?? NO_TRAFFIC;
    audit?.(toAuditRecord(principal, job, result, traffic));
    const runId = newId();
    const clean = result.files.map((file) => cleanFile(file, redact));
    const files = this.#outputs.keep(runId, principal, clean);
    const ran = { skill: entry.id, digest: entry.digest, path, runId, files, wanted, traffic };
    return toOutcome(ran, result, redact);
  }
}

/** Turns a failure of the sandbox into `SCRIPTS_UNAVAILABLE`: nothing was run. */
async function sandboxed(run: () => Promise<RunResult>): Promise<RunResult> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    const message = `Nothing was run: ${error.message} (skillgate doctor says more.)`;
    throw new GatewayError('SCRIPTS_UNAVAILABLE', message, { data: { reason: error.code }, cause: error });
  }
}

interface Recorded {
  readonly entry: CatalogEntry;
  readonly path: string;
  readonly input: ScriptInput;
}

/** `result` is null where the run was refused. */
function toAuditRecord(
  { id: principal }: Principal,
  { entry, path, input }: Recorded,
  result: RunResult | null,
  traffic: Traffic = NO_TRAFFIC,
): ScriptRecord {
  return {
    principal,
    skill: entry.id,
    digest: entry.digest,
    script: path,
    inputHash: hashBytes(Buffer.from(JSON.stringify(hashed(input)))),
    // Options are recognised behind a space.
    parameters: loggable(input.kind === 'named' ? input.values : ` ${input.words.join(' ')}`),
    outcome: outcomeIn(result),
    exitCode: result?.exitCode ?? null,
    killedBy: result?.killedBy ?? null,
    traffic,
    durationMs: Math.round(result?.wallMs ?? 0),
    cpuMs: result?.cpuMs ?? 0,
    peakBytes: result?.peakBytes ?? 0,
  };
}

function outcomeIn(result: RunResult | null): ScriptRecord['outcome'] {
  if (result === null) return 'refused';
  if (result.killedBy !== null) return 'killed';
  return result.exitCode === 0 ? 'done' : 'failed';
}

/** The input as JSON, with hashes in place of bytes. */
function hashed(input: ScriptInput): unknown {
  if (input.kind === 'named') return input.values;
  const { words, stdin, files } = input;
  return { words, stdin: hashBytes(stdin), files: files.map(({ path, bytes }) => [path, hashBytes(bytes)]) };
}
