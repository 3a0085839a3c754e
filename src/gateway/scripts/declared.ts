/**
 * What a skill says of its scripts in `metadata`: how they take arguments, and how little they need. It can only ask
 * for less than the configuration grants; whatever else it asks for it does not get.
 */

import * as z from 'zod';
import type { ArgumentStyle } from './arguments.ts';

export interface Declared {
  readonly style: ArgumentStyle;
  /** Null where it says nothing. */
  readonly timeoutMs: number | null;
  /** Names of variables; null where it says nothing. */
  readonly env: readonly string[] | null;
  /** Domains that it would reach: it can reach those that the configuration grants as well, and no others. */
  readonly network: readonly string[];
}

const words = z
  .union([z.string(), z.array(z.string())])
  .transform((value) => (typeof value === 'string' ? value.split(/[\s,]+/) : value).filter(Boolean));
const capabilitiesSchema = z.object({ network: words.optional(), env: words.optional() });

/** As `metadata` may hold them: the specification has strings only, and authors write lists all the same. */
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

/** Of what is granted, that which is asked for; all of it where nothing is said. */
export function granted(
  environment: Readonly<Record<string, string>>,
  { env }: Pick<Declared, 'env'>,
): Readonly<Record<string, string>> {
  if (env === null) return environment;
  return Object.fromEntries(Object.entries(environment).filter(([name]) => env.includes(name)));
}
