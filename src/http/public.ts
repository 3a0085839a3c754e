/**
 * Streamable HTTP: authentication, and limits for each connection.
 *
 * A request passes `listener.ts` (host and origin), `routes.ts`, then `endpoint.ts` (token, rate, body, the SDK's answer, its
 * size), in this order. `auth/` turns a bearer token into a `Principal`: from the token file, or from a JWT of the issuer.
 * Without authentication there is one principal, the user of this machine, and the server listens on loopback only.
 * At SIGTERM new requests are refused until the running ones are answered. What the messages mean belongs to `mcp/`.
 */

export {
  scopeSchema,
  TokenFileError,
  type TokenRecord,
  type TokenStore,
  tokenNameSchema,
  tokensIn,
  tokensJson,
} from './auth/token-file.ts';
export { createToken, listTokens, revokeToken, stateOf, TokenError } from './auth/tokens.ts';
export { type HttpOptions, serveOverHttp } from './http.ts';
export { ListenError } from './listen.ts';
export { type WebHandler, webHandler } from './web-handler.ts';
