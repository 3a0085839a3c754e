/**
 * A web service of your own that also serves the skills to MCP clients, at /mcp, and as a search at /search.
 *
 *     npm install skillgate express
 *     node web-server.mjs 3000
 */

import express from 'express';
import { createSkillgate } from 'skillgate';

/** `options` are those of createSkillgate. Resolves with the server once it listens. */
export async function serve(port, options = {}) {
  const skillgate = await createSkillgate(options);
  const app = express();
  app.get('/search', async (request, response) => {
    response.json(await skillgate.search(String(request.query.q ?? ''), { top_k: 3 }));
  });
  // In Hono: app.all('/mcp', ({ req }) => mcp.fetch(req.raw)).
  // In Fastify: app.all('/mcp', (request, reply) => { reply.hijack(); return mcp.node(request.raw, reply.raw, request.body); }).
  const mcp = skillgate.createRequestHandler();
  app.all('/mcp', mcp.node);
  const server = await new Promise((resolve) => {
    const listening = app.listen(port, '127.0.0.1', () => resolve(listening));
  });
  server.on('close', () => skillgate.close());
  return server;
}

if (process.argv[1] === import.meta.filename) {
  const server = await serve(Number(process.argv[2] ?? 3_000));
  console.log(`http://127.0.0.1:${server.address().port}/mcp`);
}
