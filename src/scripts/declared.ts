/**
 * What a skill declares about its scripts in `metadata`: how they take arguments, and what they need. A declaration can
 * only narrow what the configuration grants.
 */

import * as z from 'zod';
import type { ArgumentStyle } from './arguments.ts';

export interface Declared {
  readonly style: ArgumentStyle;
  /** Null where not declared. */
  readonly timeoutMs: number | null;
  /** Names of variables; null where not declared. */
  readonly env: readonly string[] | null;
  /** Domains that the skill asks for. It can reach only those that the configuration also grants. */
  readonly network: readonly string[];
}

const words = z
  .union([z.string(), z.array(z.string())])
  .transform((value) => (typeof value === 'string' ? value.split(/[\s,]+/) : value).filter(Boolean));
const capabilitiesSchema = z.object({ network: words.optional(), env: words.optional() });

/** The specification allows only strings in `metadata`, but authors also write lists. */
const schema = z.object({
  'skillgate.arguments': z.enum(['auto', 'flags', 'stdin']).optional().catch(undefined),
  'skillgate.timeout': z
    .string()
    .regex(/^\d{1,6}(ms|s|m)$/)
    .optional()
    .catch(undefined),
  'skillgate.env': words.optional().catch(undefined),
  'skillgate.network': words.optional().catch(undefined),
  capabilities: capabilitiesSchema.optional().catch(undefined),
});

const UNITS = { ms: 1, s: 1_000, m: 60_000 } as const;

export function declaredIn(frontmatter: Readonly<Record<string, unknown>>): Declared {
  const parsed = schema.safeParse(frontmatter.metadata);
  const found = parsed.success ? parsed.data : {};
  const { capabilities } = found;
  const timeout = found['skillgate.timeout'];
  return {
    style: found['skillgate.arguments'] ?? 'auto',
    timeoutMs: timeout === undefined ? null : millisecondsOf(timeout),
    env: found['skillgate.env'] ?? capabilities?.env ?? null,
    network: found['skillgate.network'] ?? capabilities?.network ?? [],
  };
}

function millisecondsOf(text: string): number {
  const unit = text.replace(/^\d+/, '') as keyof typeof UNITS;
  return Number.parseInt(text, 10) * UNITS[unit];
}

/** The granted variables that the skill asks for; all of them where it declares nothing. */
export function granted(
  environment: Readonly<Record<string, string>>,
  { env }: Pick<Declared, 'env'>,
): Readonly<Record<string, string>> {
  if (env === null) return environment;
  return Object.fromEntries(Object.entries(environment).filter(([name]) => env.includes(name)));
}
