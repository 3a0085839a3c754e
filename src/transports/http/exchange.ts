/** One request and its answer, and what is told of them once they are over: to the access log and to the counters. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Access } from '../../telemetry/audit.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { isSubscription } from './requests.ts';
import { HEALTH_PATH, MCP_PATH, READY_PATH } from './settings.ts';

/** Longest path that is written down, characters. */
const MAX_PATH = 200;

export interface Told {
  readonly metrics: Metrics | null;
  readonly onAccess: ((entry: Access) => void) | undefined;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
}

export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Without the query. */
  readonly path: string;
  /** Principal, once it is known. */
  who: string | null = null;
  bytesIn = 0;
  bytesOut = 0;
  #rejected: string | null = null;
  readonly #told: Told;
  readonly #start: number;

  constructor(request: IncomingMessage, response: ServerResponse, told: Told) {
    this.request = request;
    this.response = response;
    this.path = request.url?.split('?', 1)[0] ?? '/';
    this.#told = told;
    this.#start = told.now();
    const remote = request.socket.remoteAddress ?? '';
    response.once('close', () => this.#over(remote));
  }

  /** It is turned away: a fixed word for why. */
  rejected(reason: string): void {
    this.#rejected = reason;
    this.#told.metrics?.reject(reason);
  }

  #over(remote: string): void {
    const ms = this.#told.now() - this.#start;
    const { request, response, path, who, bytesIn, bytesOut } = this;
    // A client that went away before it was answered.
    const status = response.headersSent ? response.statusCode : 499;
    if (path === MCP_PATH && !isSubscription(request)) this.#told.metrics?.request(status, ms / 1_000);
    // Asked every few seconds by whoever runs the server: they would be most of the log.
    if (path === HEALTH_PATH || path === READY_PATH) return;
    this.#told.onAccess?.({
      who,
      remote,
      method: request.method ?? '',
      path: path.slice(0, MAX_PATH),
      status,
      ms,
      bytesIn,
      bytesOut,
      ...(this.#rejected === null ? {} : { reject: this.#rejected }),
    });
  }
}
