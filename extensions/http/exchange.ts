/** One request and its answer; after the answer it is reported to the access log and the metrics. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Access, Metrics } from '../../src/app/extension-api.ts';
import { HEALTH_PATH, MCP_PATH, READY_PATH } from './settings.ts';

/** Longest path in the access log, characters. */
const MAX_PATH = 200;

interface Reporting {
  readonly metrics: Metrics | null;
  readonly onAccess: ((entry: Access) => void) | undefined;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  /** The client's address. */
  readonly addressOf: (request: IncomingMessage) => string;
}

export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Without the query. */
  readonly path: string;
  /** The client's address. */
  readonly address: string;
  /** Id of the principal, once it is known. */
  principal: string | null = null;
  /** True for a stream that ends only with its connection: its duration says nothing. */
  isStream = false;
  bytesIn = 0;
  bytesOut = 0;
  #rejected: string | null = null;
  readonly #reporting: Reporting;
  readonly #start: number;

  constructor(request: IncomingMessage, response: ServerResponse, reporting: Reporting) {
    this.request = request;
    this.response = response;
    this.path = request.url?.split('?', 1)[0] ?? '/';
    this.#reporting = reporting;
    this.#start = reporting.now();
    this.address = reporting.addressOf(request);
    response.once('close', () => this.#closed());
  }

  /** Records why the request is refused, with a fixed reason. */
  rejected(reason: string): void {
    this.#rejected = reason;
    this.#reporting.metrics?.reject(reason);
  }

  #closed(): void {
    const ms = this.#reporting.now() - this.#start;
    const { request, response, path, principal: who, address: remote, bytesIn, bytesOut } = this;
    // 499: the client disconnected before the answer.
    const status = response.headersSent ? response.statusCode : 499;
    if (path === MCP_PATH && !this.isStream) this.#reporting.metrics?.request(status, ms / 1_000);
    // Probes come every few seconds and would fill the log.
    if (path === HEALTH_PATH || path === READY_PATH) return;
    this.#reporting.onAccess?.({
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
