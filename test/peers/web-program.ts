/**
 * The SDK's own catalog with tools, over HTTP on loopback: `web-program.ts PORT SKILLS`. SKILLS is a JSON file of
 * skills by path, read at the start. Prints its port once it listens.
 */

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { catalogOf } from './honest.ts';

const [, , port = '0', file = ''] = process.argv;
const catalog = await catalogOf(JSON.parse(readFileSync(file, 'utf8')));
const answer = toNodeHandler(createMcpHandler(() => catalog.server()));
const server = createServer((request, response) =>
  answer(Object.assign(request, { method: request.method ?? '', url: request.url ?? '' }), response),
);
server.listen(Number(port), '127.0.0.1', () => {
  const address = server.address();
  console.log(typeof address === 'object' ? address?.port : '');
});
