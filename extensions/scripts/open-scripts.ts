/** Opens script running as configured: the sandbox of this machine, the limits, and who may run what. */

import { randomBytes } from 'node:crypto';
import { bytes, milliseconds } from '../../src/app/config/units.ts';
import type { ProcessEnvironment } from '../../src/app/configured.ts';
import type { Config, Policy, ServedLibrary } from '../../src/app/extension-api.ts';
import { compileChoice, toSubject } from '../../src/gateway/policy/choice.ts';
import type { Scripts } from '../../src/gateway/scripts.ts';
import { openSandbox } from './sandbox/open.ts';
import type { Sandbox } from './sandbox/sandbox.ts';
import { ScriptRunner, type ScriptsOptions } from './script-runner.ts';

/** Output files that a server keeps of one run. The Skills extension limits a skill to the same size. */
const KEPT = { files: 200, bytes: 16 * 2 ** 20 };
const KEPT_MS = 60 * 60_000;
/** Limits of one run, other than time and memory. */
export const RUN_LIMITS = {
  processes: 64,
  fileBytes: 64 * 2 ** 20,
  workBytes: 256 * 2 ** 20,
  outputBytes: 2 ** 20,
};
const ID_BYTES = 16;

export type ScriptHooks = Pick<ScriptsOptions, 'audit'> & Partial<Pick<ScriptsOptions, 'keep'>>;

/** The sandbox of this machine. Starts no process until it is used. */
export const localSandbox = ({ env }: Pick<ProcessEnvironment, 'env'>): Sandbox =>
  openSandbox({
    platform: process.platform,
    architecture: process.arch,
    uid: process.getuid?.() ?? -1,
    path: env.PATH ?? '',
    programs: { node: process.execPath },
  });

export function openScriptsFor(
  { scripts: config }: Pick<Config, 'scripts'>,
  library: Pick<ServedLibrary, 'current' | 'filesOf' | 'notice'>,
  policy: Policy,
  environment: Pick<ProcessEnvironment, 'env'>,
  hooks: ScriptHooks = {},
): Scripts {
  const { env } = environment;
  return new ScriptRunner({
    library,
    sandbox: localSandbox(environment),
    allowed: allowedBy(config),
    mayRun: (principal, entry) => policy.grantsOf(principal).mayRun(toSubject(entry)),
    confirm: config.confirm,
    limits: {
      wallMs: milliseconds(config.timeout),
      // As much as one core gives in that time.
      cpuMs: milliseconds(config.timeout),
      memoryBytes: bytes(config.memory),
      ...RUN_LIMITS,
    },
    env: Object.fromEntries(
      config.env.flatMap((name) => {
        const value = env[name];
        return value === undefined ? [] : [[name, value]];
      }),
    ),
    domains: config.domains,
    folders: config.folders,
    concurrency: 2,
    queue: 32,
    keepMs: KEPT_MS,
    keep: KEPT,
    newId: () => randomBytes(ID_BYTES).toString('hex'),
    now: () => performance.now(),
    ...hooks,
  });
}

/** Both lists must match. */
export function allowedBy(choice: Pick<Config['scripts'], 'sources' | 'skills'>): ScriptsOptions['allowed'] {
  const { matches } = compileChoice({ sources: choice.sources, skills: choice.skills });
  return (entry) => matches(toSubject(entry));
}
