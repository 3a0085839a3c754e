/** `skillgate trust`: shows what a project's configuration asks for, and remembers that the user trusts it. */

import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { projectFile, userConfigFolder } from '../../app/config/find.ts';
import { type ProcessEnvironment, processEnvironment } from '../../app/configured.ts';
import { examineProject, readTrusted, revoke as revokeTrust, trustProject } from '../../app/trust.ts';
import { settingsText, trustAsked, trustText } from '../ask-trust.ts';
import { CliError, EXIT } from '../exit-codes.ts';
import { print, printReport, printText, say, sayText } from '../output.ts';

export interface TrustOptions {
  readonly list?: boolean;
  /** The project's folder or file; true for the one here. */
  readonly revoke?: string | true;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export async function trust(options: TrustOptions): Promise<void> {
  if (options.list === true) return list(options);
  if (options.revoke !== undefined) return revoke(options.revoke, options);
  const environment = remembering(processEnvironment());
  const found = projectFile(environment, say);
  if (found === null)
    throw new CliError('NOT_FOUND', 'There is no configuration of a project here or above.');
  const project = examineProject(found, environment);
  const { file, settings, parts } = project;
  const report = (state: string) => {
    if (options.json === true) printReport({ file, state, parts, config: settings });
  };
  if (project.state === 'trusted' && parts.length > 0) {
    report('trusted');
    if (options.json !== true) print(`${file} is trusted already.`);
    return;
  }
  if (parts.length > 0 && options.yes !== true) {
    const answer = await trustAsked(project);
    if (answer !== true) {
      report(project.state);
      if (answer === null)
        say('Nothing was changed: there is no terminal to ask on. --yes trusts without asking.');
      process.exitCode = EXIT.unconfirmed;
      return;
    }
  } else if (parts.length > 0 && options.json !== true) sayText(trustText(project));
  trustProject(project, environment);
  report('trusted');
  if (options.json === true) return;
  print(parts.length === 0 ? `${file} asks for nothing that needs trust.` : `${file} is trusted now.`);
}

/** SKILLGATE_TRUST_PROJECT trusts for one process; this command is about what is remembered. */
const remembering = (environment: ProcessEnvironment): ProcessEnvironment => ({
  ...environment,
  env: { ...environment.env, SKILLGATE_TRUST_PROJECT: undefined },
});

function list({ json }: TrustOptions): void {
  const projects = [...readTrusted(userConfigFolder(processEnvironment()))];
  if (json === true) {
    printReport({
      projects: projects.map(([file, { since, settings }]) => ({ file, since, config: settings })),
    });
    return;
  }
  if (projects.length === 0) say('No project is trusted.');
  for (const [file, { since, settings }] of projects) {
    print(`${file}  since ${since}`);
    printText(settingsText(settings));
  }
}

function revoke(wanted: string | true, { json }: TrustOptions): void {
  const environment = processEnvironment();
  const folder = userConfigFolder(environment);
  const file =
    wanted === true
      ? (projectFile(environment, say)?.file ?? '')
      : resolveConfigFile(resolve(environment.cwd, wanted), folder);
  if (!revokeTrust(folder, file))
    throw new CliError(
      'NOT_FOUND',
      'That project is not trusted: skillgate trust --list names those that are.',
    );
  if (json === true) printReport({ file, state: 'untrusted' });
  else print(`${file} is no longer trusted.`);
}

/** A project that is gone is named as it was. */
function resolveConfigFile(path: string, folder: string): string {
  const real = existsSync(path) ? realpathSync(path) : path;
  const isFolder = statSync(real, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const files = [...readTrusted(folder).keys()];
  return files.find((file) => file === real || (isFolder && dirname(file) === real)) ?? real;
}
