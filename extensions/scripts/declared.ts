/**
 * What a skill declares about its scripts, in `metadata` and under `capabilities` or `permissions`: how they take arguments, and
 * what they need. A declaration can
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
  /** Bytes; null where not declared. */
  readonly memoryBytes: number | null;
  /** False if the skill says that its scripts write no files. */
  readonly writes: boolean;
  /** Folders of the machine that the skill asks for, by what it would do there. */
  readonly folders: readonly { readonly access: 'read' | 'write'; readonly path: string }[];
  /** Domains that the skill asks for. It can reach only those that the configuration also grants. */
  readonly network: readonly string[];
}

const words = z
  .union([z.string(), z.array(z.string())])
  .transform((value) => (typeof value === 'string' ? value.split(/[\s,]+/) : value).filter(Boolean));
const size = z
  .string()
  .regex(/^\d{1,6}\s?[KMG](?:i?B)?$/i)
  .optional()
  .catch(undefined);
const files = words.optional().catch(undefined);
const capabilitiesSchema = z.object({
  network: words.optional(),
  env: words.optional(),
  memory: size,
  filesystem: files,
});
type Capabilities = z.infer<typeof capabilitiesSchema>;
/** `read:/data`: a folder of the machine. */
const FOLDER = /^([a-z-]+):(\/.*)$/i;
/** Words for files that scripts may write. */
const WRITING = /^(?:write|read-?write|rw|all|full|true)$/i;

/** The specification allows only strings in `metadata`, but authors also write lists. */
const schema = z.object({
  'skillgate.arguments': z.enum(['auto', 'flags', 'stdin']).optional().catch(undefined),
  'skillgate.timeout': z
    .string()
    .regex(/^\d{1,6}(ms|s|m)$/)
    .optional()
    .catch(undefined),
  'skillgate.memory': size,
  'skillgate.files': files,
  'skillgate.env': words.optional().catch(undefined),
  'skillgate.network': words.optional().catch(undefined),
});

const BYTES = { K: 2 ** 10, M: 2 ** 20, G: 2 ** 30 } as const;
const UNITS = { ms: 1, s: 1_000, m: 60_000 } as const;

export function declaredIn(frontmatter: Readonly<Record<string, unknown>>): Declared {
  const parsed = schema.safeParse(frontmatter.metadata);
  const found = parsed.success ? parsed.data : {};
  const blocks = [frontmatter, Object(frontmatter.metadata) as typeof frontmatter].flatMap((from) =>
    [from.capabilities, from.permissions].flatMap((block) => capabilitiesSchema.safeParse(block).data ?? []),
  );
  const said = <Key extends keyof Capabilities>(key: Key): Capabilities[Key] =>
    blocks.find((block) => block[key] !== undefined)?.[key];
  const timeout = found['skillgate.timeout'];
  const memory = found['skillgate.memory'] ?? said('memory');
  const files = found['skillgate.files'] ?? said('filesystem');
  const access = files?.filter((word) => !FOLDER.test(word)) ?? [];
  // `filesystem: []` says that there is none.
  const emptied = files?.length === 0;
  return {
    style: found['skillgate.arguments'] ?? 'auto',
    timeoutMs: timeout === undefined ? null : parseMilliseconds(timeout),
    memoryBytes: memory === undefined ? null : parseBytes(memory),
    writes: access.length === 0 ? !emptied : access.some((word) => WRITING.test(word)),
    folders: (files ?? []).flatMap((word) => {
      const [, how = '', path] = FOLDER.exec(word) ?? [];
      return path === undefined ? [] : { access: /^(?:read|ro)$/i.test(how) ? 'read' : 'write', path };
    }),
    env: found['skillgate.env'] ?? said('env') ?? null,
    network: found['skillgate.network'] ?? said('network') ?? [],
  };
}

function parseMilliseconds(text: string): number {
  const unit = text.replace(/^\d+/, '') as keyof typeof UNITS;
  return Number.parseInt(text, 10) * UNITS[unit];
}

function parseBytes(text: string): number {
  const unit = text.replace(/^\d+\s?/, '')[0]?.toUpperCase() as keyof typeof BYTES;
  return Number.parseInt(text, 10) * BYTES[unit];
}

/** The granted variables that the skill asks for; all of them where it declares nothing. */
export function granted(
  environment: Readonly<Record<string, string>>,
  { env }: Pick<Declared, 'env'>,
): Readonly<Record<string, string>> {
  if (env === null) return environment;
  return Object.fromEntries(Object.entries(environment).filter(([name]) => env.includes(name)));
}
