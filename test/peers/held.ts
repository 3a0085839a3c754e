/** A server whose skills a test changes while it runs: what it holds is in a file, looked at with every request. */

import { readFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/server';
import { memorySkillFiles, SkillCatalog } from '@modelcontextprotocol/server/ext/skills';

/** What the file says: the skills by path, or how the server behaves. */
export type Held = Readonly<Record<string, string>> | 'down' | 'stalled';

export function heldIn(file: string): Held {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** One server over the skills as they are now. */
export async function heldServer(held: Readonly<Record<string, string>>): Promise<McpServer> {
  const server = new McpServer({ name: 'held', version: '1' });
  (await SkillCatalog.load(memorySkillFiles({ ...held }))).attach(server);
  return server;
}
