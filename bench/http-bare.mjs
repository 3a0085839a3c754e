/**
 * The floor of `npm run bench -- load`: the SDK's own handler on `node:http` with one tool that answers a constant of
 * the size of a search's answer. What it costs is the protocol's; what skillgate costs more is ours.
 */

import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';

/** Characters: five hits with their evidence. */
const TEXT = 'x'.repeat(4_500);
const inputSchema = z.object({ query: z.string() });

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'bare', version: '1' });
  server.registerTool('search_skills', { description: 'Answers a constant.', inputSchema }, async () => ({
    content: [{ type: 'text', text: TEXT }],
  }));
  return server;
});
const answer = toNodeHandler(handler);
const server = createServer((request, response) => void answer(request, response));
server.listen(0, '127.0.0.1', () => {
  process.stderr.write(`MCP is served at http://127.0.0.1:${server.address().port}/mcp\n`);
});
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
