/** `skillgate token create|list|revoke`: manages bearer tokens for `serve --http`. A running server notices changes. */

import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { userConfigFolder } from '../../../src/app/config/find.ts';
import { milliseconds } from '../../../src/app/config/units.ts';
import { configuredBy, type ProcessEnvironment, processEnvironment } from '../../../src/app/configured.ts';
import type { AuditEvent, CommonOptions, TokenRecord, TokenStore } from '../../../src/app/extension-api.ts';
import { fromExtension } from '../../../src/app/load-extensions.ts';
import { withAudit } from '../../../src/cli/commands/with-gateway.ts';
import { CliError } from '../../../src/cli/exit-codes.ts';
import { print, printJson, say } from '../../../src/cli/output.ts';
import { trustedConfiguration } from '../../../src/cli/trusting.ts';
import { openTokenStore, scopeSchema, TokenFileError, tokenNameSchema } from '../auth/token-file.ts';
import { createToken, listTokens, revokeToken, TokenError, tokenState } from '../auth/tokens.ts';

export interface TokenOptions extends Pick<CommonOptions, 'config' | 'set' | 'json' | 'extensions'> {
  /** The token file. Default: `auth.tokens` of the configuration. */
  readonly file?: string;
}

export interface CreateOptions extends TokenOptions {
  readonly scope?: readonly string[];
  /** `90d`, or `never`. */
  readonly expires: string;
}

export async function create(name: string, options: CreateOptions): Promise<void> {
  const named = tokenNameSchema.safeParse(name);
  if (!named.success)
    throw new CliError('USAGE', `"${name}" is not a valid token name: it ${formatIssues(named.error)}.`);
  const scopes = [...new Set(options.scope ?? [])];
  for (const scope of scopes) {
    const parsed = scopeSchema.safeParse(scope);
    if (!parsed.success)
      throw new CliError('USAGE', `"${scope}" is not a valid scope: it ${formatIssues(parsed.error)}.`);
  }
  const now = new Date();
  const expires = parseExpiry(options.expires, now);
  const { file, isConfigured, use } = await openTokens(options);
  const token = await use((tokens) =>
    createToken(tokens, { name, scopes, expires }, { now, random: randomBytes }),
  );
  await audited(options, {
    event: 'token',
    action: 'create',
    name,
    scopes,
    expires: expires?.toISOString() ?? null,
  });
  if (options.json === true)
    printJson({ name, token, scopes, expires: expires?.toISOString() ?? null, file });
  else print(token);
  say(`This token is shown once; its hash is in ${file}. Clients send it as "Authorization: Bearer …".`);
  if (!isConfigured)
    say(`Serve with it: set auth.tokens in the configuration, or SKILLGATE_AUTH_TOKENS=${file}`);
}

export async function list(options: TokenOptions): Promise<void> {
  const { file, use } = await openTokens(options);
  const now = new Date();
  const tokens = await use(listTokens);
  if (options.json === true) {
    printJson(tokens.map((record) => shown(record, now)));
    return;
  }
  if (tokens.length === 0) say(`${file} holds no tokens.`);
  for (const record of tokens) {
    const { name, state, scopes, created, expires } = shown(record, now);
    const until = expires === null ? 'never expires' : `expires ${expires.slice(0, 10)}`;
    print(
      `${name}  ${state}  ${scopes.length === 0 ? 'no scopes' : scopes.join(' ')}  since ${created.slice(0, 10)}, ${until}`,
    );
  }
}

export async function revoke(name: string, options: TokenOptions): Promise<void> {
  const { use } = await openTokens(options);
  const now = new Date();
  const followed = await use(async (tokens) => {
    await revokeToken(tokens, name, now);
    return openTokenStore(tokens).followed;
  });
  await audited(options, { event: 'token', action: 'revoke', name });
  if (options.json === true) printJson({ name, revoked: now.toISOString() });
  else say(`The token "${name}" is revoked: running servers refuse it ${followed}.`);
}

/** Writes the change into the configured audit log. */
async function audited(options: TokenOptions, event: AuditEvent): Promise<void> {
  const { config } = await configuredBy(options, processEnvironment());
  await withAudit(config, async (audit) => audit?.event(event));
}

/** The record without its hash. */
const shown = (record: TokenRecord, now: Date) => {
  const { hash, ...rest } = record;
  return { ...rest, state: tokenState(record, now) };
};

function parseExpiry(text: string, now: Date): Date | null {
  if (text === 'never') return null;
  if (!/^[1-9]\d{0,8}(s|m|h|d)$/.test(text))
    throw new CliError('USAGE', `--expires takes a time such as 90d, 12h or 30m, or "never", not "${text}".`);
  const expires = new Date(now.getTime() + milliseconds(text));
  if (Number.isNaN(expires.getTime()))
    throw new CliError('USAGE', `--expires ${text} is too far in the future. Use "never".`);
  return expires;
}

interface Tokens {
  /** Where they are, for messages. */
  readonly file: string;
  readonly isConfigured: boolean;
  use<Result>(work: (tokens: string | TokenStore) => Promise<Result>): Promise<Result>;
}

/** Those of the named file, else of the store or the file of the configuration. */
async function openTokens(options: TokenOptions): Promise<Tokens> {
  const { extensions = [] } = options;
  const environment = processEnvironment();
  const { config } = await trustedConfiguration(options, environment);
  const shared = (await fromExtension('shared', { config, extensions }))?.tokens(config, environment);
  if (options.file === undefined && shared !== undefined && shared !== null)
    return { file: 'the database', isConfigured: true, use: (work) => withCliErrors(() => shared(work)) };
  const { file, isConfigured } = findTokenFile(options, config.auth.tokens, environment);
  return { file, isConfigured, use: (work) => withCliErrors(() => work(file)) };
}

function findTokenFile(
  options: TokenOptions,
  configured: string | undefined,
  environment: ProcessEnvironment,
): { readonly file: string; readonly isConfigured: boolean } {
  if (options.file !== undefined) {
    const file = resolve(environment.cwd, options.file);
    return { file, isConfigured: file === configured };
  }
  if (configured !== undefined) return { file: configured, isConfigured: true };
  return { file: join(userConfigFolder(environment), 'tokens.json'), isConfigured: false };
}

/** Turns errors about tokens into `CliError`. */
async function withCliErrors<Result>(use: () => Promise<Result>): Promise<Result> {
  try {
    return await use();
  } catch (error) {
    if (error instanceof TokenError)
      throw new CliError(error.code === 'TOKEN_UNKNOWN' ? 'NOT_FOUND' : 'USAGE', error.message, {
        cause: error,
      });
    if (error instanceof TokenFileError) throw new CliError('FAILED', error.message, { cause: error });
    throw error;
  }
}

const formatIssues = (error: { readonly issues: readonly { readonly message: string }[] }) =>
  error.issues.map(({ message }) => message).join(', ');
