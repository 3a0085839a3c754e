/** A server whose skills a test changes while it runs: they are in a file that it reads at every request. */

import { readFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/server';
import { memorySkillFiles, SkillCatalog } from '@modelcontextprotocol/server/ext/skills';

/** The file's content: the skills by path, or how the server behaves. */
export type Held = Readonly<Record<string, string>> | 'down' | 'stalled';

export function heldIn(file: string): Held {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** A server of these skills. */
export async function heldServer(held: Readonly<Record<string, string>>): Promise<McpServer> {
  const server = new McpServer({ name: 'held', version: '1' });
  (await SkillCatalog.load(memorySkillFiles({ ...held }))).attach(server);
  return server;
}
