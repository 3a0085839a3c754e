/**
 * Tokens or the policy as the database holds them, read several times a second. What is too old, or what this version cannot read,
 * has no value here: it is refused with a reason, and never replaced by an earlier value.
 */

import * as z from 'zod';
import type { UnreadableRights } from '../../../src/app/extension-api.ts';
import { errorMessage } from '../../../src/base/errors.ts';
import type { Setting, SharedSettings } from '../database/shared-settings.ts';

export interface SharedSettingOptions<Value> {
  readonly settings: Pick<SharedSettings, 'read' | 'follow'>;
  readonly name: string;
  /** Throws where this version cannot read it. */
  readonly parse: (value: unknown) => Value;
  /** How long a value holds after the query that read it began, ms. */
  readonly maxStaleMs: number;
  readonly log: (message: string) => void;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
}

interface Current<Value> {
  readonly version: number;
  readonly value: Value;
}

export class SharedSetting<Value> {
  readonly stop: () => void;
  /** Resolves after the first answer of the database, whether it could be read or not. */
  readonly opened: Promise<void>;
  readonly #options: SharedSettingOptions<Value>;
  #current: Current<Value> | null = null;
  #unreadable: (UnreadableRights & { readonly version: number; readonly reason: string }) | null = null;
  #readAt: number | null = null;

  constructor(options: SharedSettingOptions<Value>) {
    const { settings, name, log, now } = options;
    this.#options = options;
    const openedAt = now();
    this.opened = settings.read(name).then((setting) => this.#take(setting, openedAt));
    // Reported to the caller that waits for it.
    this.opened.catch(() => {});
    let isFailing = false;
    this.stop = settings.follow(
      name,
      (setting, askedAt) => {
        isFailing = false;
        this.#take(setting, askedAt);
      },
      (error) => {
        if (!isFailing) log(`The ${name} of the database cannot be read: ${errorMessage(error)}`);
        isFailing = true;
      },
    );
  }

  /** Throws the reason why there is none. */
  get current(): Current<Value> {
    const refusal = this.refusal();
    if (refusal !== null || this.#current === null) throw new Error(refusal ?? 'There is no value yet.');
    return this.#current;
  }

  /** Why no call may be answered under it; null where it holds. */
  refusal(): string | null {
    const { name, maxStaleMs } = this.#options;
    if (this.#readAt === null)
      return `The ${name} of the database cannot be read yet, so no caller is answered.`;
    if (this.#unreadable !== null) return this.#unreadable.reason;
    if (this.ageMs <= maxStaleMs) return null;
    const seconds = Math.round(this.ageMs / 1_000);
    return `The ${name} of the database could not be read for ${seconds} s, longer than store.maxStaleRights: no caller is answered, since changes would not be seen.`;
  }

  /** Time since the query began that last read it, ms. */
  get ageMs(): number {
    return this.#readAt === null ? 0 : this.#options.now() - this.#readAt;
  }

  /** What of it this version cannot read; null where it can. */
  get unreadable(): UnreadableRights | null {
    return this.#unreadable;
  }

  #take({ version, value }: Setting, askedAt: number): void {
    const { name, parse, log } = this.#options;
    this.#readAt = askedAt;
    if ((this.#unreadable ?? this.#current)?.version === version) return;
    try {
      this.#current = { version, value: parse(value) };
      this.#unreadable = null;
    } catch (error) {
      const { key, message } = describeUnreadable(error);
      const reason = `The ${name} of the database cannot be read by this version (${message}), so no caller is answered. Update this gateway, or publish what it can read.`;
      this.#current = null;
      this.#unreadable = { setting: name, key, version, reason };
      log(reason);
    }
  }
}

/** The key with its path that a schema does not know or whose value it refuses, '' where the whole is refused; and what is wrong. */
export function describeUnreadable(error: unknown): { readonly key: string; readonly message: string } {
  const cause = error instanceof Error && error.cause instanceof z.ZodError ? error.cause : error;
  const issues = cause instanceof z.ZodError ? cause.issues : [];
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
  if (issue === undefined) return { key: '', message: errorMessage(error) };
  const keys = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  const key = [...issue.path, ...keys].join('.');
  return { key, message: `${key}: ${issue.message}` };
}
