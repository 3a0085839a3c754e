/** `${NAME}` in values that may need a secret: taken from the environment, so that the file holds none. */

import type { SourceConfig } from './schema.ts';
import type { ConfigPath } from './text.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A source with its secrets in place. `token` is that of `tokenEnv`. */
export interface ExpandedSource {
  readonly source: SourceConfig;
  readonly token: string | undefined;
  /** Variables that are not set, with the place that needs each. */
  readonly missing: readonly { readonly path: ConfigPath; readonly message: string }[];
}

const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Expands what the source's kind allows; a variable that is empty counts as not set. */
export function expandSource(source: SourceConfig, env: Environment): ExpandedSource {
  const missing: { path: ConfigPath; message: string }[] = [];
  const expanded = (values: Readonly<Record<string, string>>, member: string) =>
    Object.fromEntries(
      Object.entries(values).map(([key, text]) => {
        const value = text.replace(REFERENCE, (_, name: string) => {
          const found = env[name];
          if (!found) missing.push({ path: [member, key], message: notSet(name) });
          return found ?? '';
        });
        return [key, value];
      }),
    );
  switch (source.kind) {
    case 'mcp':
      return {
        source: {
          ...source,
          env: expanded(source.env, 'env'),
          headers: expanded(source.headers, 'headers'),
        },
        token: undefined,
        missing,
      };
    case 'well-known':
      return {
        source: { ...source, headers: expanded(source.headers, 'headers') },
        token: undefined,
        missing,
      };
    case 'git': {
      const { tokenEnv } = source;
      const token = tokenEnv === undefined ? undefined : env[tokenEnv] || undefined;
      if (tokenEnv !== undefined && token === undefined)
        missing.push({ path: ['tokenEnv'], message: notSet(tokenEnv) });
      return { source, token, missing };
    }
    default:
      return { source, token: undefined, missing };
  }
}

const notSet = (name: string) =>
  `The environment variable ${name} is not set: set it, or disable the source.`;

/** Names of the variables that a text refers to. */
export const referencesOf = (text: string): string[] =>
  Array.from(text.matchAll(REFERENCE), ([, name]) => name ?? '');
