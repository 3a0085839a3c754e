/**
 * The tools that another server offers: its list, kept until it changes, and calls. Descriptions and schemas are the
 * server's words: they are shown as data and followed by nobody here; arguments are judged by the server alone.
 */

import type { CallToolResult, Progress, Tool } from '@modelcontextprotocol/client';
import * as z from 'zod';
import { METHOD_NOT_FOUND, PeerError } from './errors.ts';
import { listed } from './pages.ts';
import type { Peer } from './peer.ts';

/** Most tools of one server; honest ones have some hundred. */
const MAX_TOOLS = 2_000;
/** Longest declaration of one tool as JSON, characters; a longer one is left out. */
const MAX_DECLARATION = 262_144;
/** Longest wait for one page of the list, ms. */
const PAGE_MS = 15_000;
/** After a failure the list is not asked for again for this long, ms. */
const COOL_DOWN_MS = 5_000;

const toolSchema = z.looseObject({
  name: z.string().min(1).max(256),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: z.looseObject({ type: z.literal('object') }),
  outputSchema: z.looseObject({}).optional(),
  annotations: z.looseObject({}).optional(),
});

export type PeerTool = z.output<typeof toolSchema>;
export type { CallToolResult };

export interface PeerCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export interface PeerToolsOptions {
  /** How long a list counts as fresh where no notice comes, ms. */
  readonly refreshMs: number;
  readonly now: () => number;
}

export class PeerTools {
  readonly #peer: Peer;
  readonly #options: PeerToolsOptions;
  /** Ends the listening for changes; null before the first list, so that nobody is connected to for nothing. */
  #stop: (() => void) | null = null;
  #tools: readonly PeerTool[] = [];
  #freshUntil = Number.NEGATIVE_INFINITY;
  #listing: Promise<void> | null = null;
  #failure: PeerError | null = null;

  constructor(peer: Peer, options: PeerToolsOptions) {
    this.#peer = peer;
    this.#options = options;
  }

  /**
   * In the server's order. Where it cannot be asked, the last list is given; rejects with `PeerError` where there is
   * none.
   */
  async list(): Promise<readonly PeerTool[]> {
    this.#stop ??= this.#peer.onNotice('tools', () => {
      this.#freshUntil = Number.NEGATIVE_INFINITY;
    });
    if (this.#options.now() >= this.#freshUntil) {
      this.#listing ??= this.#refresh();
      await this.#listing;
    }
    if (this.#failure !== null && this.#tools.length === 0) throw this.#failure;
    return this.#tools;
  }

  /** Rejects with `PeerError`, or with the signal's reason. What the server answers is not judged. */
  async call({ name, arguments: given, timeoutMs, signal, onProgress }: PeerCall): Promise<CallToolResult> {
    const known = this.#tools.find((tool) => tool.name === name);
    const options = {
      timeout: timeoutMs,
      maxTotalTimeout: timeoutMs,
      ...(signal !== undefined && { signal }),
      ...(onProgress !== undefined && { onprogress: onProgress }),
      // Without its output schema, by which the SDK would judge the result; with the headers that it asks for.
      ...(known !== undefined && { toolDefinition: withoutOutput(known) }),
    };
    return this.#peer.use((client) => client.callTool({ name, arguments: { ...given } }, options), {
      signal,
    });
  }

  close(): void {
    this.#stop?.();
  }

  async #refresh(): Promise<void> {
    const { now, refreshMs } = this.#options;
    try {
      this.#tools = await this.#peer.use(async (client) => {
        const tools: PeerTool[] = [];
        if (client.getServerCapabilities()?.tools === undefined) return tools;
        for await (const item of listed(client, 'tools/list', 'tools', { timeout: PAGE_MS })) {
          const tool = toolSchema.safeParse(item);
          if (!tool.success || JSON.stringify(item).length > MAX_DECLARATION) continue;
          if (tools.length === MAX_TOOLS)
            throw new PeerError('PEER_FLOOD', `It lists more than ${MAX_TOOLS} tools.`);
          tools.push(tool.data);
        }
        return tools;
      });
      this.#failure = null;
      this.#freshUntil = now() + refreshMs;
    } catch (error) {
      const failure = error instanceof PeerError ? error : new PeerError('PEER_ANSWER', String(error));
      this.#failure = failure.data.code === METHOD_NOT_FOUND ? null : failure;
      this.#freshUntil = now() + COOL_DOWN_MS;
    } finally {
      this.#listing = null;
    }
  }
}

const withoutOutput = ({ name, inputSchema }: PeerTool): Tool => ({ name, inputSchema });
