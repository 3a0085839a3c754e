/** A real client of the SDK on a real server, joined in memory, on either protocol era. */

import { Client, type JsonSchemaValidator } from '@modelcontextprotocol/client';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import { InMemoryTransport, type McpServerFactory } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Gateway } from '../../../src/gateway/gateway.ts';
import { mcpServerFactory, type ServerOptions } from '../../../src/mcp/server.ts';
import { endWithTest } from '../../end-with-test.ts';

export const ERAS = ['legacy', '2026-07-28'] as const;
export type Era = (typeof ERAS)[number];

export interface Connection {
  readonly client: Client;
  /** Lines that the server logged. */
  readonly logged: readonly string[];
  /** A connection that a test opens is closed with that test. */
  close(): Promise<void>;
}

/** Compiles each schema once: every test connects a client, and compiling takes longer than most tests. */
class SharedValidator extends AjvJsonSchemaValidator {
  readonly #compiled = new Map<string, JsonSchemaValidator<unknown>>();

  override getValidator<T>(
    schema: Parameters<AjvJsonSchemaValidator['getValidator']>[0],
  ): JsonSchemaValidator<T> {
    const text = JSON.stringify(schema);
    const validate = this.#compiled.get(text) ?? super.getValidator(schema);
    this.#compiled.set(text, validate);
    // It returns its argument, so its type is the caller's.
    return validate as JsonSchemaValidator<T>;
  }
}
const jsonSchemaValidator = new SharedValidator();

/** Connects a client that checks every structured answer against the tool's output schema. */
export function connect(
  era: Era,
  gateway: Gateway | (() => Promise<Gateway>),
  options: Partial<ServerOptions> = {},
  name = 'test',
): Promise<Connection> {
  const logged: string[] = [];
  const factory = mcpServerFactory({
    gateway: typeof gateway === 'function' ? gateway : async () => gateway,
    version: '0.0.0',
    log: (message) => logged.push(message),
    ...options,
  });
  return connectTo(factory, era, logged, name);
}

export async function connectTo(
  factory: McpServerFactory,
  era: Era,
  logged: string[] = [],
  name = 'test',
): Promise<Connection> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const handle = serveStdio(factory, { transport: far, onerror: (error) => logged.push(error.message) });
  const mode = era === 'legacy' ? era : { pin: era };
  const client = new Client({ name, version: '1' }, { versionNegotiation: { mode }, jsonSchemaValidator });
  await client.connect(near);
  // The client validates answers only against schemas that it has listed.
  await client.listTools();
  const close = endWithTest(async () => {
    await client.close();
    await handle.close();
  });
  return { client, logged, close };
}

/** The answer of a tool to a new client. */
export async function callTool(
  era: Era,
  server: Gateway | McpServerFactory,
  name: string,
  args: Record<string, unknown> = {},
) {
  const { client } = await (typeof server === 'function' ? connectTo(server, era) : connect(era, server));
  return client.callTool({ name, arguments: args });
}

/** Text of a result's text blocks. */
export function textOf(result: { readonly content: readonly { readonly type: string }[] }): string {
  return result.content
    .flatMap((block) => ('text' in block && typeof block.text === 'string' ? [block.text] : []))
    .join('\n');
}
