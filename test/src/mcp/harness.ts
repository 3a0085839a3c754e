/** A real client of the SDK on a real server, joined in memory, on either protocol era. */

import { Client, type JsonSchemaValidator } from '@modelcontextprotocol/client';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import { InMemoryTransport, type McpServerFactory } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Gateway } from '../../../src/gateway/gateway.ts';
import { mcpServerFactory, type ServerOptions } from '../../../src/mcp/server.ts';
import type { FakeSkill } from './fake-gateway.ts';

export const ERAS = ['legacy', '2026-07-28'] as const;
export type Era = (typeof ERAS)[number];

export interface Connection {
  readonly client: Client;
  /** Lines that the server logged. */
  readonly logged: readonly string[];
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
  return {
    client,
    logged,
    async close() {
      await client.close();
      await handle.close();
    },
  };
}

/** Text of a result's text blocks. */
export function textOf(result: { readonly content: readonly { readonly type: string }[] }): string {
  return result.content
    .flatMap((block) => ('text' in block && typeof block.text === 'string' ? [block.text] : []))
    .join('\n');
}

/** A small catalog: a long skill, one with files of each kind, two with the same name. */
export const SKILLS: readonly FakeSkill[] = [
  {
    id: 'documents/pdf-forms',
    description: 'Fill and flatten PDF forms.',
    tags: ['pdf'],
    twins: ['mirror/pdf-forms-copy'],
    files: {
      'SKILL.md':
        '---\nname: pdf-forms\n---\n# Guide\n\nOpen the form.\n\n## Steps\n\nFill each field.\n\n# Notes\n\nKeep a copy.',
      'references/fields.md': Array.from({ length: 100 }, (_, at) => `Line ${at + 1} on fields`).join('\n'),
      'scripts/fill.py': 'print("fill")',
      'assets/logo.png': 'PNG',
      'assets/font.ttf': 'font',
    },
  },
  {
    id: 'team-a/deploy',
    description: 'Deploy to the cluster of team A.',
    files: { 'SKILL.md': '---\n\n---\nApply it.' },
  },
  {
    id: 'team-b/deploy',
    description: 'Deploy to the cluster of team B.',
    files: { 'SKILL.md': '---\n\n---\nApply it.' },
  },
  {
    id: 'writing/long',
    name: 'Long Guide',
    description: 'A very long guide.',
    files: {
      'SKILL.md': `---\nname: x\n---\n${Array.from({ length: 2_000 }, (_, at) => `Sentence ${at + 4} of the guide.`).join('\n')}`,
    },
  },
];
