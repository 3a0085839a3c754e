/** Who sends a request: its token is checked, or it is answered with 401 or 403, those of one network with a pause between two. */

import type { AuthInfo } from '@modelcontextprotocol/server';
import { networkOf } from './addresses.ts';
import { type Headers, send } from './answer.ts';
import type { Authenticator } from './auth/authenticate.ts';
import type { Exchange } from './exchange.ts';
import { Pace } from './requests.ts';

/** Guesses cost this thread time, and clients with an old token can wait, ms. */
const PAUSE_MS = 10;
/** Most bytes of a refusal. */
const MAX_BYTES = 2 ** 16;

export class Admission {
  /** Null: every caller is the local user. */
  readonly #auth: Pick<Authenticator, 'admit'> | null;
  readonly #refusals: Pace;

  constructor(auth: Pick<Authenticator, 'admit'> | null, pauseMs = PAUSE_MS) {
    this.#auth = auth;
    this.#refusals = new Pace(pauseMs);
  }

  /** Undefined `authInfo` for the local user. Null: the request was refused, and is answered. */
  async admit(
    exchange: Exchange,
    headers: Headers = {},
    scopes: readonly string[] = [],
  ): Promise<{ readonly authInfo: AuthInfo | undefined } | null> {
    const { request, response, address } = exchange;
    if (this.#auth === null) return { authInfo: undefined };
    const admitted = await this.#auth.admit(request.headers.authorization, scopes);
    if ('authInfo' in admitted) return admitted;
    exchange.rejected(admitted.reason);
    await this.#refusals.turn(networkOf(address), response);
    await send(admitted.response, response, { maxBytes: MAX_BYTES, headers });
    return null;
  }
}
