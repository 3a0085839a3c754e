/** Opens library and gateway for a command, shows progress on stderr, and closes everything at the end. */

import type { OpenSources } from '../../app/catalog.ts';
import { processEnvironment } from '../../app/configured.ts';
import { missingNote } from '../../app/missing-note.ts';
import { openLibrary } from '../../app/open-library.ts';
import { type Fetching, fetchFor, openSources } from '../../app/open-sources.ts';
import { openCommandAudit } from '../../app/open-telemetry.ts';
import type { CommonOptions, Settings } from '../../app/settings.ts';
import { isThere, requireNamedFolders } from '../../app/source-settings.ts';
import type { Library } from '../../catalog/library.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import { catalogPipeline, reportingGateway } from '../../gateway/pipeline.ts';
import { compilePolicy } from '../../gateway/policy/policy.ts';
import { LOCAL } from '../../gateway/policy/principal.ts';
import { type Finding, formatWarning } from '../../skills/suspicion.ts';
import { CliError } from '../exit-codes.ts';
import { colours, progressOnStderr, say } from '../output.ts';
import { trustedSettings } from '../trusting.ts';

/** The settings of a command that needs skills. Rejects with `NO_SKILLS` where there is no skill folder. */
export async function settingsWithRoots(options: CommonOptions): Promise<Settings> {
  const settings = await trustedSettings(options);
  if (!settings.sources.some(isThere))
    throw new CliError(
      'NO_SKILLS',
      'There are no skill folders here (.claude/skills, .agents/skills, in the project or at home). Name one with --skills DIR, or add a source with skillgate sources add.',
    );
  requireNamedFolders(settings);
  return settings;
}

export async function withLibrary<T>(
  options: CommonOptions,
  use: (library: Library, settings: Settings) => Promise<T>,
  fetching: Fetching = 'missing',
): Promise<T> {
  const settings = await settingsWithRoots(options);
  if (settings.config.store !== undefined)
    say(
      colours.dim(
        "This command answers from this machine's sources, not from the shared catalog: see skillgate store.",
      ),
    );
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
  const library = await openLibrary(settings, {
    log: say,
    onProgress,
    patienceMs,
    sources: all,
  });
  try {
    return await use(library, settings);
  } finally {
    stop();
    await library.close();
  }
}

/**
 * The gateway with the permissions of the local user. Warnings about suspicious texts go to stderr, and calls into the
 * configured audit log; `warns` false leaves the warnings to the command.
 */
export function withGateway<T>(
  options: CommonOptions,
  use: (gateway: Gateway, library: Library) => Promise<T>,
  { warns = true }: { readonly warns?: boolean } = {},
): Promise<T> {
  const open = (library: Library, settings: Settings) => {
    const { config } = settings;
    return withAudit(config, async (audit) => {
      sayRulesForEverybody(config);
      const found: Finding[] = [];
      const own = catalogPipeline({
        library,
        learning: library.learning,
        policy: compilePolicy(config.policy),
        note: missingNote(settings),
      })(LOCAL);
      const result = await use(
        reportingGateway((await audit?.served(async () => own)(LOCAL)) ?? own, (findings) =>
          found.push(...findings),
        ),
        library,
      );
      if (warns && found.length > 0) say(colours.yellow(formatWarning(found)));
      return result;
    });
  };
  return withLibrary(options, open);
}

/**
 * A rule for everybody also applies to the operator, who would otherwise look for the missing skills elsewhere. Depends on the
 * rules alone: what they hide shows in nothing.
 */
export function sayRulesForEverybody({ policy: { rules } }: Settings['config']): void {
  const numbers = rules.flatMap(({ who, allow, deny }, at) =>
    who.some((one) => one === '*' || one === '**') && allow.length + deny.length > 0 ? [at + 1] : [],
  );
  if (numbers.length > 0)
    say(
      `Policy rule ${numbers.join(', ')} is for all callers ("*"), so it also applies to these commands: skillgate policy explain local shows what you see.`,
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
