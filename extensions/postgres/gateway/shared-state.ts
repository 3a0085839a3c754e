/** What gateways share besides the index: tokens, the policy, sums of the rate limits, the audit log. */

import { randomUUID } from 'node:crypto';
import { type Config, policySchema } from '../../../src/app/config/schema.ts';
import { milliseconds } from '../../../src/app/config/units.ts';
import type { ProcessEnvironment } from '../../../src/app/configured.ts';
import type { SharedState } from '../../../src/app/extension.ts';
import { policyOf } from '../../../src/app/open-policy.ts';
import { messageOf } from '../../../src/base/errors.ts';
import type { Policy } from '../../../src/gateway/policy/policy.ts';
import { type TokenStore, tokensIn, tokensJson } from '../../../src/serve/http/auth/token-file.ts';
import { connect, type Database } from '../database/connect.ts';
import { requireSchema } from '../database/migrations.ts';
import { SharedLog } from '../database/shared-log.ts';
import { type Setting, SharedSettings } from '../database/shared-settings.ts';
import { SharedUsage } from '../database/shared-usage.ts';
import { connectionOf, type StoreConfig } from './open-store.ts';

/** Names of the settings in the database. */
const TOKENS = 'tokens';
const POLICY = 'policy';

/** Opens what the store shares. Rejects where the policy or the audit log cannot be read: a gateway does not start without. */
export async function openSharedState(
  config: StoreConfig,
  environment: Pick<ProcessEnvironment, 'env'>,
  log: (message: string) => void,
): Promise<SharedState> {
  const database = connect(connectionOf(config, environment));
  const maxStaleMs = milliseconds(config.maxStale);
  const settings = new SharedSettings(database, config.schema);
  const followed: Followed[] = [];
  const follow = (name: string) => {
    const one = new Followed(settings, name, maxStaleMs, log);
    followed.push(one);
    return one;
  };
  const usage = new SharedUsage(database, config.schema, Date.now);
  const close = async () => {
    for (const one of followed) one.stop();
    await usage.close();
    await database.close();
  };
  try {
    return {
      tokens: config.shares.includes('tokens') ? sharedTokens(settings, follow(TOKENS)) : undefined,
      policy: config.shares.includes('policy') ? await sharedPolicy(follow(POLICY), log) : undefined,
      counter: usage.counter.bind(usage),
      async openAudit(onLost) {
        if (!config.shares.includes('audit')) return undefined;
        return new SharedLog({ database, schema: config.schema, writer: randomUUID(), log, onLost });
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The tokens of the store for a command, which reads and changes them at once. */
export async function withSharedTokens<Result>(
  config: StoreConfig,
  environment: Pick<ProcessEnvironment, 'env'>,
  use: (tokens: TokenStore) => Promise<Result>,
): Promise<Result> {
  return withDatabase(config, environment, (database) => {
    const settings = new SharedSettings(database, config.schema);
    return use(tokensOver(settings, () => settings.read(TOKENS)));
  });
}

/** Replaces the policy that gateways share. */
export function publishPolicy(
  config: StoreConfig,
  environment: Pick<ProcessEnvironment, 'env'>,
  policy: Config['policy'],
): Promise<void> {
  // What no gateway could use is refused here.
  policyOf({ policy });
  return withDatabase(config, environment, (database) =>
    new SharedSettings(database, config.schema).change(POLICY, () => policy),
  );
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
  const database = connect(connectionOf(config, environment));
  try {
    await requireSchema(database, config.schema);
    return await use(database);
  } finally {
    await database.close();
  }
}

const sharedTokens = (settings: SharedSettings, followed: Followed): TokenStore =>
  tokensOver(settings, () => followed.current());

function tokensOver(settings: SharedSettings, current: () => Promise<Setting>): TokenStore {
  const name = 'of the database';
  return {
    name,
    version: async () => String((await current()).version),
    read: async () => tokensIn((await current()).value, name),
    change: (change) => settings.change(TOKENS, (value) => tokensJson(change(tokensIn(value, name)))),
  };
}

/** The policy of the database, exchanged as soon as it changes. A change that is not valid is logged, and changes nothing. */
async function sharedPolicy(followed: Followed, log: (message: string) => void): Promise<Policy> {
  const compiled = ({ version, value }: Setting) => {
    // Nothing is visible before somebody has said what is.
    if (value === null) return { version, policy: policyOf({ policy: NO_POLICY_YET }) };
    return { version, policy: policyOf({ policy: policySchema.parse(value) }) };
  };
  let current = compiled(await followed.current());
  followed.onValue = (setting) => {
    if (setting.version === current.version) return;
    try {
      current = compiled(setting);
    } catch (error) {
      current = { ...current, version: setting.version };
      log(`The policy of the database is not valid, and the one before stays: ${messageOf(error)}`);
    }
  };
  return {
    // Ids do not change with the policy: each has its source's name from the start.
    restricts: true,
    grantsOf(principal) {
      const grants = current.policy.grantsOf(principal);
      // Equal keys mean equal grants, and so one view: a version of the policy is part of it.
      return { ...grants, key: `${current.version} ${grants.key}` };
    },
  };
}

const NO_POLICY_YET: Config['policy'] = { default: 'deny', disabled: [], rules: [] };

/** A setting as it was last read; for a bounded time also while the database is away. */
class Followed {
  readonly stop: () => void;
  onValue: (setting: Setting) => void = () => {};
  readonly #maxStaleMs: number;
  #first: Promise<Setting>;
  #latest: Setting | null = null;
  #readAt = 0;

  constructor(settings: SharedSettings, name: string, maxStaleMs: number, log: (message: string) => void) {
    this.#maxStaleMs = maxStaleMs;
    this.#first = settings.read(name);
    // Reported to the first caller.
    this.#first.catch(() => {});
    let failing = false;
    this.stop = settings.follow(
      name,
      (setting) => {
        failing = false;
        this.#latest = setting;
        this.#readAt = performance.now();
        this.onValue(setting);
      },
      (error) => {
        if (!failing) log(`The ${name} of the database cannot be read: ${messageOf(error)}`);
        failing = true;
      },
    );
  }

  async current(): Promise<Setting> {
    const latest = this.#latest ?? (await this.#first);
    if (this.#latest !== null && performance.now() - this.#readAt > this.#maxStaleMs)
      throw new Error('The database has been out of reach for longer than store.maxStale.');
    return latest;
  }
}
