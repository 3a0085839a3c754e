/**
 * The floor of `npm run bench -- http`: the SDK's handler on `node:http` with one tool, which answers a constant as long
 * as a search result. Its cost is the cost of the protocol.
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
  server.registerTool('search_skills', { description: 'Returns a constant.', inputSchema }, async () => ({
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
