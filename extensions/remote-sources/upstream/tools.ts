/**
 * The tools of an upstream server: its list, cached until it changes, and calls. Descriptions and schemas are untrusted
 * data: they are shown, never followed. Only the server checks the arguments.
 */

import type { Tool } from '@modelcontextprotocol/client';
import * as z from 'zod';
import {
  type CallToolResult,
  type ListedTool,
  type UpstreamCall,
  UpstreamError,
  type UpstreamTools,
} from '../../../src/sources/upstream.ts';
import type { UpstreamConnection } from './connection.ts';
import { METHOD_NOT_FOUND } from './error-mapping.ts';
import { listItems } from './pagination.ts';

/** Most tools of one server; honest ones have a few hundred. */
const MAX_TOOLS = 2_000;
/** Longest declaration of one tool as JSON, characters; a longer one is left out. */
const MAX_DECLARATION = 262_144;
/** Longest wait for one page of the list, ms. */
const PAGE_MS = 15_000;
/** Pause after a failed request for the list, ms. */
const COOL_DOWN_MS = 5_000;

const toolSchema = z.looseObject({
  name: z.string().min(1).max(256),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: z.looseObject({ type: z.literal('object') }),
  outputSchema: z.looseObject({}).optional(),
  annotations: z.looseObject({}).optional(),
});

interface ToolsOptions {
  /** How long a list counts as fresh without a notification, ms. */
  readonly refreshMs: number;
  readonly now: () => number;
}

export class ServerTools implements UpstreamTools {
  readonly #connection: Pick<UpstreamConnection, 'use' | 'onNotification'>;
  readonly #options: ToolsOptions;
  /** Stops listening for changes; null before the first list, so that nothing connects before it is needed. */
  #stop: (() => void) | null = null;
  #tools: readonly ListedTool[] = [];
  #freshUntil = Number.NEGATIVE_INFINITY;
  #listing: Promise<void> | null = null;
  #failure: UpstreamError | null = null;

  constructor(connection: Pick<UpstreamConnection, 'use' | 'onNotification'>, options: ToolsOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  async list(): Promise<readonly ListedTool[]> {
    this.#stop ??= this.#connection.onNotification('tools', () => {
      this.#freshUntil = Number.NEGATIVE_INFINITY;
    });
    if (this.#options.now() >= this.#freshUntil) {
      this.#listing ??= this.#refresh();
      await this.#listing;
    }
    if (this.#failure !== null && this.#tools.length === 0) throw this.#failure;
    return this.#tools;
  }

  async call({
    name,
    arguments: given,
    timeoutMs,
    signal,
    onProgress,
  }: UpstreamCall): Promise<CallToolResult> {
    const known = this.#tools.find((tool) => tool.name === name);
    const options = {
      timeout: timeoutMs,
      maxTotalTimeout: timeoutMs,
      signal,
      onprogress: onProgress,
      // With the tool's input schema, which may define headers, but without its output schema, which would make the
      // SDK check the result.
      ...(known !== undefined && { toolDefinition: withoutOutput(known) }),
    };
    return this.#connection.use((client) => client.callTool({ name, arguments: { ...given } }, options), {
      signal,
    });
  }

  close(): void {
    this.#stop?.();
  }

  async #refresh(): Promise<void> {
    const { now, refreshMs } = this.#options;
    try {
      this.#tools = await this.#connection.use(async (client) => {
        const tools: ListedTool[] = [];
        if (client.getServerCapabilities()?.tools === undefined) return tools;
        for await (const item of listItems(client, 'tools/list', 'tools', { timeout: PAGE_MS })) {
          const tool = toolSchema.safeParse(item);
          if (!tool.success || JSON.stringify(item).length > MAX_DECLARATION) continue;
          if (tools.length === MAX_TOOLS)
            throw new UpstreamError('UPSTREAM_FLOOD', `It lists more than ${MAX_TOOLS} tools.`);
          tools.push(tool.data);
        }
        return tools;
      });
      this.#failure = null;
      this.#freshUntil = now() + refreshMs;
    } catch (error) {
      const failure =
        error instanceof UpstreamError
          ? error
          : new UpstreamError('UPSTREAM_ANSWER', String(error), { cause: error });
      this.#failure = failure.data.code === METHOD_NOT_FOUND ? null : failure;
      this.#freshUntil = now() + COOL_DOWN_MS;
    } finally {
      this.#listing = null;
    }
  }
}

const withoutOutput = ({ name, inputSchema }: ListedTool): Tool => ({ name, inputSchema });
