/** What gateways share next to the index: tokens, the policy, sums of the rate limits, the audit log. */

import { randomBytes, randomUUID } from 'node:crypto';
import * as z from 'zod';
import { AppError } from '../../../src/app/app-error.ts';
import { policySchema } from '../../../src/app/config/schema.ts';
import { milliseconds } from '../../../src/app/config/units.ts';
import type { ProcessEnvironment } from '../../../src/app/configured.ts';
import type {
  Config,
  Policy,
  SharedRights,
  SharedState,
  TokenRecord,
  TokenStore,
} from '../../../src/app/extension-api.ts';
import { GatewayError } from '../../../src/gateway/gateway.ts';
import { compilePolicy } from '../../../src/gateway/policy/policy.ts';
import { tokensIn, tokensJson } from '../../http/auth/token-file.ts';
import type { Database } from '../database/connect.ts';
import { Gateways } from '../database/gateways.ts';
import { requireSchema } from '../database/migrations.ts';
import { SharedLog } from '../database/shared-log.ts';
import { SharedSettings } from '../database/shared-settings.ts';
import { SharedUsage } from '../database/shared-usage.ts';
import { isStoreError } from '../index-store.ts';
import { holderOf, openDatabase, type StoreConfig } from './open-store.ts';
import { describeUnreadable, SharedSetting } from './shared-setting.ts';

/** Names of the settings in the database. */
const TOKENS = 'tokens';
const POLICY = 'policy';
/** Where tokens are, for messages. */
const STORED = 'of the database';
/** When gateways follow a change of tokens or of the policy, for messages. */
export const FOLLOWED =
  'within a second, and one that does not reach the database answers no caller after store.maxStaleRights';

/**
 * Opens what the store shares. Rejects where the policy cannot be read, or the database has not enough connections left: a gateway does
 * not start without.
 */
export async function openSharedState(
  config: StoreConfig,
  environment: Pick<ProcessEnvironment, 'env'>,
  log: (message: string) => void,
): Promise<SharedState> {
  const database = openDatabase(config, environment);
  const settings = new SharedSettings(database, config.schema);
  const maxStaleMs = milliseconds(config.maxStaleRights);
  const shares = (name: StoreConfig['shares'][number]) => config.shares.includes(name);
  const options = { settings, maxStaleMs, log, now: () => performance.now() };
  const tokens = shares('tokens')
    ? new SharedSetting({ ...options, name: TOKENS, parse: parseTokens })
    : null;
  const policy = shares('policy')
    ? new SharedSetting({ ...options, name: POLICY, parse: parsePolicy })
    : null;
  const rights = [policy, tokens].filter((setting) => setting !== null);
  const usage = new SharedUsage(database, config.schema, Date.now);
  const stopReporting = new Gateways(database, config.schema).report({
    name: holderOf(randomBytes(4).toString('hex')),
    reads: policy === null ? {} : z.toJSONSchema(policySchema, { io: 'input' }),
  });
  const close = async () => {
    for (const setting of rights) setting.stop();
    await stopReporting();
    await usage.close();
    await database.close();
  };
  try {
    await database.open().catch((error: unknown) => {
      if (!isStoreError(error, 'STORE_UNREACHABLE')) throw error;
    });
    await policy?.opened;
    return {
      tokens: tokens === null ? undefined : tokensOver(settings, () => tokens.current),
      policy: policy === null ? undefined : sharedPolicy(policy),
      rights: rights.length === 0 ? undefined : statusOf(rights),
      counter: usage.counter.bind(usage),
      async openAudit(onLost) {
        if (!shares('audit')) return undefined;
        return new SharedLog({ database, schema: config.schema, writer: randomUUID(), log, onLost });
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const statusOf = (settings: readonly SharedSetting<unknown>[]): SharedRights => ({
  refusal: () => settings.map((setting) => setting.refusal()).find((reason) => reason !== null) ?? null,
  ageMs: () => Math.max(...settings.map(({ ageMs }) => ageMs)),
  unreadable: () => settings.flatMap(({ unreadable }) => unreadable ?? []),
});

/** The tokens of the store for a command, which reads and changes them at once. */
export async function withSharedTokens<Result>(
  config: StoreConfig,
  environment: Pick<ProcessEnvironment, 'env'>,
  use: (tokens: TokenStore) => Promise<Result>,
): Promise<Result> {
  return withDatabase(config, environment, (database) => {
    const settings = new SharedSettings(database, config.schema);
    const read = async () => {
      const { version, value } = await settings.read(TOKENS);
      return { version, value: parseTokens(value) };
    };
    return use(tokensOver(settings, read));
  });
}

/** Replaces the policy that gateways share. Rejects where a running gateway could not read it. */
export function publishPolicy(
  config: StoreConfig,
  environment: Pick<ProcessEnvironment, 'env'>,
  policy: Config['policy'],
): Promise<void> {
  // What no gateway could use is refused here.
  compilePolicy(policy);
  const value = JSON.parse(JSON.stringify(policy));
  return withDatabase(config, environment, async (database) => {
    const unable = await new Gateways(database, config.schema).withoutReading(value);
    if (unable.length > 0) {
      const problems = unable.map(({ name, error }) => `${name} (${describeUnreadable(error).message})`);
      throw new AppError(
        'SETTING_INVALID',
        `Nothing was published: running gateways cannot read this policy, and would answer no caller: ${problems.join(', ')}. Update them first, or leave that out.`,
      );
    }
    await new SharedSettings(database, config.schema).change(POLICY, () => value);
  });
}

/** Calls back with each line of the audit log that gateways share, in order. */
export function readSharedAudit(
  config: StoreConfig,
  environment: Pick<ProcessEnvironment, 'env'>,
  onLine: (line: string) => void,
): Promise<void> {
  return withDatabase(config, environment, async (database) => {
    for await (const line of SharedLog.lines(database, config.schema)) onLine(line);
  });
}

async function withDatabase<Result>(
  config: StoreConfig,
  environment: Pick<ProcessEnvironment, 'env'>,
  use: (database: Database) => Promise<Result>,
): Promise<Result> {
  const database = openDatabase(config, environment);
  try {
    await requireSchema(database, config.schema);
    return await use(database);
  } finally {
    await database.close();
  }
}

const parseTokens = (value: unknown) => tokensIn(value, STORED);

/** `current` may wait for the database; tokens that it cannot give are refused, all of them. */
function tokensOver(
  settings: SharedSettings,
  current: () => MaybePromise<{ readonly version: number; readonly value: readonly TokenRecord[] }>,
): TokenStore {
  return {
    name: STORED,
    followed: FOLLOWED,
    version: async () => String((await current()).version),
    read: async () => (await current()).value,
    change: (change) => settings.change(TOKENS, (value) => tokensJson(change(parseTokens(value)))),
  };
}

type MaybePromise<Value> = Value | Promise<Value>;

/** Nothing is visible before a policy is published. */
const NO_POLICY_YET: Config['policy'] = { default: 'deny', disabled: [], rules: [] };

const parsePolicy = (value: unknown): Policy =>
  compilePolicy(value === null ? NO_POLICY_YET : policySchema.parse(value));

/** The policy of the database, exchanged as soon as it changes. Refuses every call while it is not known. */
const sharedPolicy = (setting: SharedSetting<Policy>): Policy => ({
  // Ids do not change with the policy: each has its source's name from the start.
  restricts: true,
  grantsOf(principal) {
    const refusal = setting.refusal();
    if (refusal !== null) throw new GatewayError('RIGHTS_UNKNOWN', refusal);
    const { version, value } = setting.current;
    const grants = value.grantsOf(principal);
    // Equal keys mean equal grants, and so one view: a version of the policy is part of it.
    return { ...grants, key: `${version} ${grants.key}` };
  },
});
