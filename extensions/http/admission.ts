/** Who sends a request: its token is checked, or it is answered with 401 or 403, those of one network with a pause between two. */

import type { AuthInfo } from '@modelcontextprotocol/server';
import type { Page } from '../../src/app/extension-api.ts';
import { toNetwork } from './addresses.ts';
import { answerJson, answerRpcError, type Headers, send } from './answer.ts';
import type { Authenticator } from './auth/authenticate.ts';
import type { Connections } from './connections.ts';
import type { Exchange } from './exchange.ts';
import { Pace } from './requests.ts';

/** Guesses cost this thread time, and clients with an old token can wait, ms. */
const PAUSE_MS = 10;
const TOO_MANY = {
  code: -32_000,
  message: 'As many connections as may be (limits.maxConnections) wait for answers. Try again in 1 s.',
};
/** Most bytes of a refusal. */
const MAX_BYTES = 2 ** 16;

interface AdmissionOptions {
  /** Scopes that the token needs. */
  readonly scopes?: readonly string[];
  readonly refusal?: Page['refusal'];
}

export class Admission {
  /** Null: every caller is the local user. */
  readonly #auth: Pick<Authenticator, 'admit'> | null;
  readonly #connections: Pick<Connections, 'hold'>;
  readonly #refusals: Pace;

  constructor(
    auth: Pick<Authenticator, 'admit'> | null,
    connections: Pick<Connections, 'hold'>,
    pauseMs = PAUSE_MS,
  ) {
    this.#auth = auth;
    this.#connections = connections;
    this.#refusals = new Pace(pauseMs);
  }

  /**
   * Undefined `authInfo` for the local user. Null: the request was refused, and is answered; `refusal` makes the body of that answer,
   * by default as MCP and OAuth have it.
   */
  async admit(
    exchange: Exchange,
    headers: Headers = {},
    { scopes = [], refusal }: AdmissionOptions = {},
  ): Promise<{ readonly authInfo: AuthInfo | undefined } | null> {
    const { request, response, address } = exchange;
    const admitted =
      this.#auth === null
        ? { authInfo: undefined }
        : await this.#auth.admit(request.headers.authorization, scopes);
    if ('authInfo' in admitted) {
      if (this.#connections.hold(response)) return admitted;
      exchange.rejected('connections');
      const later = { ...headers, 'retry-after': '1', connection: 'close' };
      if (refusal === undefined) answerRpcError(response, 503, TOO_MANY, later);
      else answerJson(response, 503, refusal(503, TOO_MANY.message), later);
      return null;
    }
    exchange.rejected(admitted.reason);
    await this.#refusals.turn(toNetwork(address), response);
    const refused = refusal === undefined ? admitted.response : await reworded(admitted.response, refusal);
    await send(refused, response, { maxBytes: MAX_BYTES, headers });
    return null;
  }
}

/** The same refusal with another body. */
async function reworded(response: Response, refusal: Page['refusal']): Promise<Response> {
  const { status, headers } = response;
  const body: unknown = await response.json().catch(() => null);
  const said = typeof body === 'object' && body !== null && 'error_description' in body;
  const message = said ? String(body.error_description) : 'The token is missing or wrong.';
  return new Response(JSON.stringify(refusal(status, message)), { status, headers });
}
