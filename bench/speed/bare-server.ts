/** The floor of an MCP server: the SDK with one tool that returns a constant, over stdio. */

import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

serveStdio(() => {
  const server = new McpServer({ name: 'bare', version: '1' });
  const inputSchema = z.object({ query: z.string() });
  server.registerTool('search_skills', { description: 'Returns a constant.', inputSchema }, () => ({
    content: [{ type: 'text', text: 'nothing' }],
  }));
  return server;
});
