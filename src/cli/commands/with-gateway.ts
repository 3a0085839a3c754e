/** What most commands begin and end with: an open gateway, progress on stderr, everything closed at the end. */

import type { Gateway } from '../../gateway/gateway.ts';
import type { Library } from '../../gateway/library.ts';
import { gatewaysFor } from '../../gateway/policy/gateways.ts';
import { LOCAL } from '../../gateway/principal.ts';
import { CliError, EXIT } from '../exit-codes.ts';
import { progressOnStderr, say } from '../output.ts';
import { policyOf } from '../policy.ts';
import { openLibrary } from '../session.ts';
import { type CommonOptions, isThere, type Settings, settingsOf, surroundings } from '../settings.ts';
import { type Fetching, fetchFor, type OpenSources, openSources } from '../sources.ts';

/** Settings of a command that makes no sense without skills. Rejects with `CliError` with `usage` where there are none. */
export async function settingsWithRoots(options: CommonOptions): Promise<Settings> {
  const settings = await settingsOf(options, surroundings());
  if (!settings.sources.some(isThere))
    throw new CliError(
      EXIT.usage,
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
  const sources = await openSources(settings, surroundings());
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
  // A command answers once, so that answer has to be up to date: there is no later call to be quick for.
  const patienceMs = Number.POSITIVE_INFINITY;
  const library = await openLibrary(settings, { log: say, onProgress, patienceMs, sources: all });
  try {
    return await use(library, settings);
  } finally {
    stop();
    await library.close();
  }
}

/** The gateway as the person at this machine may use it. */
export function withGateway<T>(
  options: CommonOptions,
  use: (gateway: Gateway, library: Library) => Promise<T>,
): Promise<T> {
  return withLibrary(options, (library, { config }) =>
    use(gatewaysFor(library, policyOf(config))(LOCAL), library),
  );
}
