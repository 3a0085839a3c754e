/** Expands `${NAME}` from the environment in values that may hold secrets, so that the file holds none. */

import type { SourceConfig } from './schema.ts';
import type { ConfigPath } from './text.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** A source with expanded secrets. `token` is the value of `tokenEnv`. */
export interface ExpandedSource {
  readonly source: SourceConfig;
  readonly token: string | undefined;
  /** Unset variables, each with the path of the setting that needs it. */
  readonly missing: readonly { readonly path: ConfigPath; readonly message: string }[];
}

const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Expands the settings that the kind allows. An empty variable counts as unset. */
export function expandSource(source: SourceConfig, env: Variables): ExpandedSource {
  const missing: { path: ConfigPath; message: string }[] = [];
  const fill = (values: Readonly<Record<string, string>>, member: string) =>
    Object.fromEntries(
      Object.entries(values).map(([key, written]) => {
        const { text, missing: unset } = expanded(written, env);
        for (const name of unset) missing.push({ path: [member, key], message: notSet(name) });
        return [key, text];
      }),
    );
  const { kind } = source;
  if (kind === 'git' && source.tokenEnv !== undefined) {
    const token = env[source.tokenEnv] || undefined;
    if (token === undefined) missing.push({ path: ['tokenEnv'], message: notSet(source.tokenEnv) });
    return { source, token, missing };
  }
  const filled =
    kind === 'mcp'
      ? { ...source, env: fill(source.env, 'env'), headers: fill(source.headers, 'headers') }
      : kind === 'well-known'
        ? { ...source, headers: fill(source.headers, 'headers') }
        : source;
  return { source: filled, token: undefined, missing };
}

const notSet = (name: string) => `The environment variable ${name} is not set. Set it, or remove the source.`;

/** A text with its variables filled in, and the names of those that are not set. */
export function expanded(
  text: string,
  env: Variables,
): { readonly text: string; readonly missing: string[] } {
  const missing: string[] = [];
  const filled = text.replace(REFERENCE, (_, name: string) => {
    if (!env[name]) missing.push(name);
    return env[name] ?? '';
  });
  return { text: filled, missing };
}

/** Names of the variables in a text. */
export const findReferences = (text: string): string[] =>
  Array.from(text.matchAll(REFERENCE), ([, name]) => name ?? '');
