/**
 * What the conformance suite starts as a client: `node client.js FETCH URL` fetches the skills of that server as a source of
 * kind `mcp` with that setting, and loads the skill that its scenarios tamper with. Exit code 1 where the skill can be loaded.
 * In the scenario of a client that must read nothing before a skill is loaded, the skill is searched instead, and exit code 1
 * means that it was not found. For revision 2025-11-25 a proxy hides `server/discover`, which tells the eras apart.
 */

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const program = resolve(import.meta.dirname, '../../dist/skillgate.cjs');
const isLegacy = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION === '2025-11-25';
const isPolicy = process.env.MCP_CONFORMANCE_SCENARIO === 'sep-2640-client-no-prefetch';

async function withoutDiscovery(target) {
  const server = createServer(async (request, response) => {
    // No stream of notifications: the answers are enough.
    if (request.method === 'GET') return response.writeHead(405).end();
    const chunks = await Array.fromAsync(request);
    const body = Buffer.concat(chunks).toString();
    if (/"method":"server\/discover"/.test(body)) {
      const error = { code: -32601, message: 'Method not found' };
      response.writeHead(404, { 'content-type': 'application/json' });
      return response.end(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(body).id, error }));
    }
    const { host: _, 'content-length': __, ...headers } = request.headers;
    const answer = await fetch(target, {
      method: request.method,
      headers,
      ...(request.method === 'POST' && { body }),
    });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
    for await (const chunk of answer.body ?? []) response.write(chunk);
    response.end();
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  return { url: `http://127.0.0.1:${server.address().port}/mcp`, server };
}

const run = (args, options) =>
  new Promise((done) => {
    execFile(process.execPath, [program, ...args], options, (error, stdout, stderr) =>
      done({ code: error === null ? 0 : (error.code ?? 1), output: stdout + stderr }),
    );
  });

const folder = mkdtempSync(join(tmpdir(), 'skillgate-client-'));
const proxy = isLegacy ? await withoutDiscovery(process.argv.at(-1)) : null;
try {
  const config = join(folder, 'skillgate.config.json');
  const url = proxy?.url ?? process.argv.at(-1);
  writeFileSync(
    config,
    JSON.stringify({
      sources: [{ kind: 'mcp', name: 'other', url, allowPrivate: true, fetch: process.argv[2] }],
    }),
  );
  const options = {
    cwd: folder,
    env: { ...process.env, HOME: folder, XDG_CACHE_HOME: join(folder, 'cache') },
  };
  const fetched = await run(['sources', 'refresh', '--config', config], options);
  console.log(fetched.output);
  process.exitCode = fetched.code;
  if (isPolicy) {
    const found = await run(['search', 'fill in a PDF form', '--config', config], options);
    console.log(found.output);
    if (!found.output.includes('pdf-processing')) process.exitCode = 1;
  } else {
    const loaded = await run(['load', 'pdf-processing', '--config', config], options);
    console.log(loaded.output);
    if (loaded.code === 0) process.exitCode = 1;
  }
} finally {
  proxy?.server.close();
  proxy?.server.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
}
