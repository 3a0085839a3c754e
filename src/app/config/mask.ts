/** The configuration without secrets, for printing: every value that is or may hold a secret is masked. */

import { findReferences } from './expand.ts';
import type { Config, SourceConfig } from './schema.ts';

const MASK = '***';
/** Matches the names of command options that take a secret. */
const SECRET_OPTION = /(key|token|secret|passw|auth|credential|bearer)/i;

export function masked(config: Config): Config {
  return {
    ...config,
    sources: config.sources.map(maskedSource),
    telemetry: { ...config.telemetry, otlp: config.telemetry.otlp && maskedUrl(config.telemetry.otlp) },
    store: config.store && { ...config.store, url: maskedUrl(config.store.url) },
  };
}

function maskedSource(source: SourceConfig): SourceConfig {
  switch (source.kind) {
    case 'git':
      return { ...source, url: maskedUrl(source.url) };
    case 'well-known':
      return { ...source, url: maskedUrl(source.url), headers: maskedValues(source.headers) };
    case 'mcp':
      return {
        ...source,
        args: maskedArguments(source.args),
        env: maskedValues(source.env),
        headers: maskedValues(source.headers),
        url: source.url && maskedUrl(source.url),
      };
    case 'local':
    case 'archive':
      return source;
  }
}

/** Keeps references to variables, which name the origin of a secret, and masks literal values. */
function maskedValues(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, text]) => {
      const variables = findReferences(text);
      return [name, variables.length === 0 ? MASK : variables.map((name) => `\${${name}}`).join(' ')];
    }),
  );
}

/** Masks user, password, and values of the query. */
export function maskedUrl(text: string): string {
  return text
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, `$1${MASK}@`)
    .replace(/([?&][^=&#]*)=[^&#]*/g, `$1=${MASK}`);
}

const maskedArguments = (args: readonly string[]): string[] =>
  args.map((arg, at) => maskedArgument(arg, args[at - 1]));

function maskedArgument(arg: string, before: string | undefined): string {
  if (before !== undefined && /^-/.test(before) && !before.includes('=') && SECRET_OPTION.test(before))
    return MASK;
  const [, option] = /^(-[^=]*)=/.exec(arg) ?? [];
  return option !== undefined && SECRET_OPTION.test(option) ? `${option}=${MASK}` : maskedUrl(arg);
}

/** The location of a source, without credentials. */
export function locationText(source: SourceConfig): string {
  switch (source.kind) {
    case 'local':
      return source.root;
    case 'archive':
      return source.path;
    case 'mcp':
      return source.url === undefined ? (source.command ?? '') : maskedUrl(source.url);
    default:
      return maskedUrl(source.url);
  }
}
