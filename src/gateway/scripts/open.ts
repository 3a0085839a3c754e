/** Scripts over a sandbox: from a request to an outcome, each step in its own file. */

import type { CatalogEntry } from '../../catalog/entry.ts';
import { commonDomains } from '../../net/domains.ts';
import { NO_TRAFFIC, openProxy } from '../../net/proxy.ts';
import type { Connect } from '../../net/public-connect.ts';
import { type Limits, type RunResult, type Sandbox, SandboxError } from '../../sandbox/sandbox.ts';
import { GatewayError } from '../gateway.ts';
import type { Library } from '../library.ts';
import type { Principal } from '../principal.ts';
import { resolveSkill } from '../resolve.ts';
import { checkWords, type Given, givenBy } from './arguments.ts';
import { type Declared, declaredIn, granted } from './declared.ts';
import { interpreterOf } from './interpreters.ts';
import { linesOf } from './lines.ts';
import { outcomeOf, withoutSecrets } from './outcome.ts';
import { keptOutputs } from './outputs.ts';
import { fairQueue } from './queue.ts';
import { recordOf } from './record.ts';
import { redactor } from './redact.ts';
import { scriptNamed } from './script-path.ts';
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
} from './scripts.ts';
import { refusal, verifiedFiles } from './verified.ts';

export interface ScriptsOptions {
  readonly library: Pick<Library, 'current' | 'notice'>;
  readonly sandbox: Sandbox;
  /** Which skills' scripts may be run at all. */
  readonly allowed: (entry: CatalogEntry) => boolean;
  /** Which of them for whom: policy's word, beside `allowed`. Default: all. */
  readonly mayRun?: (principal: Principal, entry: CatalogEntry) => boolean;
  readonly confirm: Confirm;
  readonly limits: Limits;
  /** Variables that scripts get, with their values. */
  readonly env: Readonly<Record<string, string>>;
  /** Domains that scripts may reach, of those that their skills ask for. */
  readonly domains: readonly string[];
  /** How they are reached: at public addresses alone, unless a test stands in for that. */
  readonly connect?: Connect;
  readonly concurrency: number;
  readonly queue: number;
  /** How long files that a run left are kept, ms, and how much of one run. */
  readonly keepMs: number;
  readonly keep: { readonly files: number; readonly bytes: number };
  readonly audit?: (record: ScriptRecord) => void;
  /** Unguessable, of `a-z`, `0-9` and `-`. */
  readonly newId: () => string;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
}

/** What is run once its turn has come. */
interface Job {
  readonly entry: CatalogEntry;
  readonly path: string;
  readonly input: ScriptInput;
  readonly given: Given;
  readonly command: readonly [program: string, ...args: string[]];
  readonly files: Awaited<ReturnType<typeof verifiedFiles>>;
  readonly env: Readonly<Record<string, string>>;
  readonly wallMs: number;
  readonly domains: readonly string[];
  readonly wanted: readonly string[];
}

export function openScripts(options: ScriptsOptions): Scripts {
  const { library, sandbox, now } = options;
  const queue = fairQueue(options.concurrency, options.queue);
  const outputs = keptOutputs(options.keepMs, now);
  const closing = new AbortController();
  const under = new Set<Promise<unknown>>();

  const jobFor = async (request: ScriptRequest, { principal, gateway }: Caller): Promise<Job> => {
    // What the caller may see decides which skill is meant; which files it has, the catalog alone.
    const seen = await gateway.load({ skill: request.skill, maxTokens: 100 });
    const entry = resolveSkill((await library.current()).reader, seen.entry.uri);
    const path = scriptNamed(
      request.script,
      entry,
      seen.files.map(({ path: own }) => own),
    );
    try {
      if (!options.allowed(entry) || options.mayRun?.(principal, entry) === false)
        throw refusal(entry, 'running its scripts is not allowed here');
      return await jobOf(entry, path, request, declaredIn(seen.frontmatter));
    } catch (error) {
      options.audit?.(recordOf(principal, { entry, path, input: request.input }, null));
      throw error;
    }
  };

  const jobOf = async (
    entry: CatalogEntry,
    path: string,
    { input, timeoutMs }: ScriptRequest,
    declared: Declared,
  ): Promise<Job> => {
    const files = await verifiedFiles(entry).catch((error: unknown) => {
      library.notice();
      throw error;
    });
    const bytes = files.find((file) => file.path === path)?.bytes ?? new Uint8Array();
    const given =
      input.kind === 'named'
        ? givenBy(input.values, declared.style, Buffer.from(bytes).toString('utf8'))
        : input;
    checkWords(given.words);
    const interpreter = interpreterOf(path, bytes, (name) => sandbox.programPath(name) !== null);
    const [program, ...rest] = interpreter ?? [];
    if (program === undefined)
      throw refusal(
        entry,
        `nothing says what ${path} is run by: it has neither a first line nor an extension that is known`,
      );
    const domains = commonDomains(options.domains, declared.network);
    return {
      entry,
      path,
      input,
      given,
      command: [program, ...rest, `${SKILL_FOLDER}/${path}`, ...given.words],
      files,
      env: granted(options.env, declared),
      domains,
      wanted: declared.network.filter((domain) => !domains.includes(domain.toLowerCase())),
      wallMs: Math.min(...[options.limits.wallMs, declared.timeoutMs, timeoutMs].filter(isNumber)),
    };
  };

  const perform = async (job: Job, principal: Principal, run: RunOptions): Promise<ScriptOutcome> => {
    const redact = redactor(Object.values(job.env));
    const ends = AbortSignal.any([closing.signal, ...(run.signal === undefined ? [] : [run.signal])]);
    const tellers = {
      stdout: linesOf(redact, (line) => run.onLine?.('stdout', line)),
      stderr: linesOf(redact, (line) => run.onLine?.('stderr', line)),
    };
    const [program, ...args] = job.command;
    const proxy =
      job.domains.length === 0
        ? null
        : openProxy({
            domains: job.domains,
            ...(options.connect !== undefined && { connect: options.connect }),
          });
    const result = await sandboxed(() =>
      sandbox.run({
        command: program,
        args,
        readOnly: job.files,
        work: job.given.files,
        stdin: job.given.stdin,
        env: job.env,
        limits: { ...options.limits, wallMs: job.wallMs },
        ...(proxy !== null && { network: proxy }),
        keep: options.keep,
        signal: ends,
        onOutput: (stream, bytes) => tellers[stream](bytes),
      }),
    ).finally(() => proxy?.close());
    const traffic = proxy?.traffic() ?? NO_TRAFFIC;
    options.audit?.(recordOf(principal, job, result, traffic));
    const runId = options.newId();
    const files = outputs.keep(
      runId,
      principal,
      result.files.map((file) => withoutSecrets(file, redact)),
    );
    const { entry, path, wanted } = job;
    const ran = { skill: entry.id, digest: entry.digest, path, runId, files, wanted, traffic };
    return outcomeOf(ran, result, redact);
  };

  return {
    confirm: options.confirm,

    async prepare(request, caller): Promise<PreparedRun> {
      const job = await jobFor(request, caller);
      const { entry, path, command, domains } = job;
      return {
        skill: entry.id,
        digest: entry.digest,
        path,
        command,
        domains,
        run(run = {}) {
          const { principal } = caller;
          const running = queue.take(principal.id, () => perform(job, principal, run), run.signal);
          under.add(running);
          const done = () => under.delete(running);
          running.then(done, done);
          return running;
        },
      };
    },

    output: (uri, principal) => outputs.read(uri, principal),

    async close() {
      closing.abort();
      await Promise.allSettled(under);
      outputs.clear();
    },
  };
}

/** Where the sandbox shows the skill's folder. */
const SKILL_FOLDER = '/skill';

const isNumber = (value: unknown): value is number => typeof value === 'number';

/** Failures of the sandbox are told as the gateway's: nothing was run. */
async function sandboxed(run: () => Promise<RunResult>): Promise<RunResult> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    throw new GatewayError(
      'SCRIPTS_UNAVAILABLE',
      `Nothing was run: ${error.message} (skillgate doctor says more.)`,
      { reason: error.code },
      error,
    );
  }
}
