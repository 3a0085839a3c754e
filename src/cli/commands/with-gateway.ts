/** Opens library and gateway for a command, shows progress on stderr, and closes everything at the end. */

import {
  type CommonOptions,
  type Fetching,
  fetchFor,
  isThere,
  type OpenSources,
  openCommandAudit,
  openLibrary,
  openSources,
  policyOf,
  processEnvironment,
  type Settings,
  settingsOf,
} from '../../app/public.ts';
import { type Gateway, gatewaysFor, withFindings } from '../../gateway/public.ts';
import type { Library } from '../../library/public.ts';
import { LOCAL } from '../../policy/public.ts';
import { type Finding, warningOf } from '../../skills/public.ts';
import { CliError } from '../exit-codes.ts';
import { colours, progressOnStderr, say } from '../output.ts';

/** The settings of a command that needs skills. Rejects with `USAGE` where there is no skill folder. */
export async function settingsWithRoots(options: CommonOptions): Promise<Settings> {
  const settings = await settingsOf(options, processEnvironment());
  if (!settings.sources.some(isThere))
    throw new CliError(
      'USAGE',
      'There are no skill folders here (.claude/skills, .agents/skills, in the project or at home). Name one with --skills DIR, or add a source with skillgate sources add.',
    );
  return settings;
}

export async function withLibrary<T>(
  options: CommonOptions,
  use: (library: Library, settings: Settings) => Promise<T>,
  fetching: Fetching = 'missing',
): Promise<T> {
  const settings = await settingsWithRoots(options);
  const sources = await openSources(settings, processEnvironment());
  try {
    await fetchFor(fetching, sources, settings, { now: Date.now, log: say });
    return await withSources(sources, settings, use);
  } finally {
    await sources.close();
  }
}

async function withSources<T>(
  { all }: OpenSources,
  settings: Settings,
  use: (library: Library, settings: Settings) => Promise<T>,
): Promise<T> {
  const { onProgress, stop } = await progressOnStderr();
  // A command answers once, so it waits until the index is up to date.
  const patienceMs = Number.POSITIVE_INFINITY;
  const library = await openLibrary(settings, { log: say, onProgress, patienceMs, sources: all });
  try {
    return await use(library, settings);
  } finally {
    stop();
    await library.close();
  }
}

/**
 * The gateway with the permissions of the local user. Warnings about suspicious texts go to stderr, and calls into the
 * configured audit log.
 */
export function withGateway<T>(
  options: CommonOptions,
  use: (gateway: Gateway, library: Library) => Promise<T>,
): Promise<T> {
  return withLibrary(options, (library, { config }) =>
    withAudit(config, async (audit) => {
      const found: Finding[] = [];
      const own = gatewaysFor(library, policyOf(config))(LOCAL);
      const result = await use(
        withFindings(audit?.observed(own, LOCAL) ?? own, (findings) => found.push(...findings)),
        library,
      );
      if (found.length > 0) say(colours.yellow(warningOf(found)));
      return result;
    }),
  );
}

/** The configured audit log, or null; its lines are written when it settles. */
export async function withAudit<T>(
  { telemetry }: Settings['config'],
  use: (audit: Awaited<ReturnType<typeof openCommandAudit>>) => Promise<T>,
): Promise<T> {
  const audit = await openCommandAudit(telemetry, say);
  try {
    return await use(audit);
  } finally {
    await audit?.close();
  }
}
