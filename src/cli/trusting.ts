/**
 * The settings of a command: asks on a terminal whether a project is trusted, and says on stderr what is left out. Commands get
 * their settings here, `hint` excepted, which neither asks nor says anything.
 */

import {
  type Configured,
  configuredBy,
  type ProcessEnvironment,
  processEnvironment,
} from '../app/configured.ts';
import { type CommonOptions, readSettings, type Serving, type Settings } from '../app/settings.ts';
import { colours, isTerminal, say } from './output.ts';

export async function trustedSettings(
  options: CommonOptions,
  environment: ProcessEnvironment = processEnvironment(),
  serving: Serving = {},
): Promise<Settings> {
  await askIfNeeded(options, environment);
  const settings = await readSettings(options, environment, serving);
  sayAll(settings.notices);
  return settings;
}

/** `trustedSettings` before sources are selected and secrets expanded. */
export async function trustedConfiguration(
  options: CommonOptions,
  environment: ProcessEnvironment = processEnvironment(),
): Promise<Configured> {
  await askIfNeeded(options, environment);
  const configured = await configuredBy(options, environment);
  sayAll(configured.notices);
  return configured;
}

async function askIfNeeded(options: CommonOptions, environment: ProcessEnvironment): Promise<void> {
  if (!isTerminal()) return;
  const { project } = await configuredBy(options, environment);
  if (project === null || project.state === 'trusted' || project.parts.length === 0) return;
  // Few commands meet a project that is not trusted: only those load what asks.
  const { trustAsked } = await import('./ask-trust.ts');
  if ((await trustAsked(project)) === true) {
    const { trustProject } = await import('../app/trust.ts');
    trustProject(project, environment);
  }
}

function sayAll(notices: readonly string[]): void {
  for (const notice of notices) say(colours.yellow(notice));
}
