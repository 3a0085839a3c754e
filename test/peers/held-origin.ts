/** Server doubles for the contract suite: a program, and the same over HTTP on loopback. */

import { rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { type McpSourceOptions, mcpSource } from '../../extensions/remote-sources/mcp/source.ts';
import type { OriginDouble } from '../contracts/fetched-source.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { type Held, heldServer } from './held.ts';
import { programOf } from './program-of.ts';

export const TOKEN = 'opensesame-opensesame';
const PROGRAM = join(import.meta.dirname, 'held-program.ts');

export async function heldProgram(): Promise<OriginDouble> {
  const folder = temporaryFolder();
  const file = join(folder, 'held.json');
  let skills: Held = {};
  const say = (held: Held) => writeFileSync(file, JSON.stringify(held));
  say(skills);
  return {
    kind: 'mcp',
    secret: TOKEN,
    async hold(files) {
      skills = { ...files };
      say(skills);
    },
    down: async () => say('down'),
    up: async () => say(skills),
    stall: async () => say('stalled'),
    source: (options) => mcpSource({ ...options, ...programOf(PROGRAM, file), env: { TOKEN } }),
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

export interface HeldSite {
  /** Answers until `close`. */
  readonly url: string;
  hold(held: Held): void;
  down(): Promise<void>;
  up(): Promise<void>;
  close(): Promise<void>;
}

/** Accepts only requests with the right token. */
export async function heldSite(): Promise<HeldSite> {
  let held: Held = {};
  const handler = createMcpHandler(() => heldServer(typeof held === 'string' ? {} : held));
  const answer = toNodeHandler(handler);
  let server: Server | undefined;
  let port = 0;
  const up = async () => {
    if (server !== undefined) return;
    const started = createServer((request, response) => {
      if (held === 'stalled') return;
      if (request.headers.authorization !== `Bearer ${TOKEN}`) {
        response.writeHead(403).end(`${request.headers.authorization} is not the token`);
        return;
      }
      answer(Object.assign(request, { method: request.method ?? '', url: request.url ?? '' }), response);
    });
    server = started;
    await new Promise<void>((resolve) => started.listen(port, '127.0.0.1', resolve));
    ({ port } = started.address() as AddressInfo);
  };
  const down = async () => {
    const stopped = server;
    server = undefined;
    stopped?.closeAllConnections();
    await new Promise<void>((resolve) =>
      stopped === undefined ? resolve() : stopped.close(() => resolve()),
    );
  };
  await up();
  return {
    get url() {
      return `http://127.0.0.1:${port}/mcp`;
    },
    hold(next) {
      held = next;
    },
    up,
    down,
    async close() {
      await handler.close();
      await down();
    },
  };
}

export async function heldOverHttp(more: Partial<McpSourceOptions> = {}): Promise<OriginDouble> {
  const site = await heldSite();
  let skills: Held = {};
  return {
    kind: 'mcp',
    secret: TOKEN,
    async hold(files) {
      skills = { ...files };
      site.hold(skills);
    },
    down: () => site.down(),
    async up() {
      site.hold(skills);
      await site.up();
    },
    stall: async () => site.hold('stalled'),
    source: (options) =>
      mcpSource({
        ...options,
        url: site.url,
        allowPrivate: true,
        headers: { authorization: `Bearer ${TOKEN}` },
        ...more,
      }),
    close: () => site.close(),
  };
}
