/** From the configuration to scripts that may be run: the sandbox of this machine, limits, who may what. */

import { randomBytes } from 'node:crypto';
import type { Library } from '../gateway/library.ts';
import { PolicyError } from '../gateway/policy/patterns.ts';
import type { Policy } from '../gateway/policy/policy.ts';
import { subjectOf } from '../gateway/policy/subjects.ts';
import { allowedBy } from '../gateway/scripts/allowed.ts';
import { openScripts, type ScriptsOptions } from '../gateway/scripts/open.ts';
import type { Scripts } from '../gateway/scripts/scripts.ts';
import { openSandbox } from '../sandbox/open.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Config } from './config/schema.ts';
import { bytes, milliseconds } from './config/units.ts';
import { CliError, EXIT } from './exit-codes.ts';

/** What a server keeps of the files that one run leaves; the Skills extension allows no larger skill either. */
const KEPT = { files: 200, bytes: 16 * 2 ** 20 };
const ID_BYTES = 16;

export interface ScriptSurroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
}

export type ScriptHooks = Pick<ScriptsOptions, 'audit'> & Partial<Pick<ScriptsOptions, 'keep'>>;

/** The sandbox of this machine. Nothing is started before it is asked. */
export const sandboxHere = ({ env }: ScriptSurroundings): Sandbox =>
  openSandbox({
    platform: process.platform,
    architecture: process.arch,
    uid: process.getuid?.() ?? -1,
    path: env.PATH ?? '',
    programs: { node: process.execPath },
  });

/** Throws `CliError` with `usage` where the configuration asks for what cannot be had. */
export function openScriptsFor(
  { scripts: config }: Pick<Config, 'scripts'>,
  library: Pick<Library, 'current' | 'notice'>,
  policy: Policy,
  surroundings: ScriptSurroundings,
  hooks: ScriptHooks = {},
): Scripts {
  const { env } = surroundings;
  return openScripts({
    library,
    sandbox: sandboxHere(surroundings),
    allowed: allowedOf(config),
    mayRun: (principal, entry) => policy.grantsOf(principal).mayRun(subjectOf(entry)),
    confirm: config.confirm,
    limits: {
      wallMs: milliseconds(config.timeout),
      cpuMs: milliseconds(config.cpu),
      memoryBytes: bytes(config.memory),
      processes: config.processes,
      fileBytes: bytes(config.fileSize),
      workBytes: bytes(config.workSize),
      outputBytes: bytes(config.output),
    },
    env: Object.fromEntries(
      config.env.flatMap((name) => {
        const value = env[name];
        return value === undefined ? [] : [[name, value]];
      }),
    ),
    domains: config.domains,
    concurrency: config.concurrency,
    queue: config.queue,
    keepMs: milliseconds(config.keepOutput),
    keep: KEPT,
    newId: () => randomBytes(ID_BYTES).toString('hex'),
    now: () => performance.now(),
    ...hooks,
  });
}

function allowedOf({ sources, skills }: Config['scripts']): ScriptsOptions['allowed'] {
  try {
    return allowedBy(sources, skills);
  } catch (error) {
    if (error instanceof PolicyError)
      throw new CliError(EXIT.usage, `In scripts.sources and scripts.skills: ${error.message}`, error);
    throw error;
  }
}
