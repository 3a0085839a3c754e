/** Upstream servers as real processes and sites, and what happens to the connection when they misbehave. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { describe, expect, it } from 'vitest';
import { UpstreamConnection } from '../../../../extensions/remote-sources/upstream/connection.ts';
import { ServerTools } from '../../../../extensions/remote-sources/upstream/tools.ts';
import { endWithTest } from '../../../end-with-test.ts';
import { TOKEN } from '../../../peers/held-origin.ts';
import { draftAServer } from '../../../peers/honest.ts';
import { programOf } from '../../../peers/program-of.ts';
import { LATER_SKILLS, UPSTREAM_SKILLS } from '../../../peers/skills.ts';
import { listening } from '../../../src/serve/stdio/ask.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';

const PROGRAM = join(import.meta.dirname, '../../../peers/program.ts');
const now = () => performance.now();
function peerAt(address: ConstructorParameters<typeof UpstreamConnection>[0]['address']): UpstreamConnection {
  const peer = new UpstreamConnection({ address, fetch });
  endWithTest(() => peer.close());
  return peer;
}
const program = (...args: string[]) =>
  peerAt({ kind: 'program', ...programOf(PROGRAM, ...args), env: { TOKEN } });
const eraOf = (peer: UpstreamConnection) => peer.use(async (client) => client.getProtocolEra());

describe('a connection to a program', () => {
  it('uses the newest era that the program supports', async () => {
    expect(await eraOf(program('catalog'))).toBe('modern');
    expect(await eraOf(program('draft-a'))).toBe('legacy');
  });

  it('gives the program its configured variables, a few others and none of ours', async () => {
    process.env.SKILLGATE_TEST_SECRET = 'not to be handed on';
    const script = 'process.stderr.write(Object.keys(process.env).join(" ")); process.exit(1)';
    const peer = peerAt({
      kind: 'program',
      command: process.execPath,
      args: ['-e', script],
      env: { MINE: 'x' },
    });
    const message = await eraOf(peer).catch((error: Error) => error.message);
    delete process.env.SKILLGATE_TEST_SECRET;
    expect(message).toContain('MINE');
    expect(message).not.toContain('SKILLGATE_TEST_SECRET');
  });

  it('says why there is no connection: no such program, or the end of its stderr without secrets', async () => {
    const missing = peerAt({ kind: 'program', command: 'no-such-program', args: [], env: {} });
    await expect(eraOf(missing)).rejects.toMatchObject({
      code: 'UPSTREAM_UNREACHABLE',
      message: expect.stringContaining('ENOENT'),
    });
    const message = await eraOf(program('none')).catch((error: Error) => error.message);
    expect(message).toContain('There is no peer');
    expect(message).not.toContain(TOKEN);
  });

  it('starts the program again after it exited', async () => {
    const peer = program('catalog');
    const tools = new ServerTools(peer, { refreshMs: 60_000, now });
    const crash = tools.call({ name: 'kiln_crash', arguments: {}, timeoutMs: 30_000 });
    await expect(crash).rejects.toMatchObject({ code: 'UPSTREAM_GONE' });
    const again = await tools.call({ name: 'kiln_start', arguments: { cone: 6 }, timeoutMs: 30_000 });
    expect(again.structuredContent).toEqual({ celsius: 1_006 });
    tools.close();
  });

  it('goes on with other calls after one timed out, and cancels that one', async () => {
    const tools = new ServerTools(program('catalog'), { refreshMs: 60_000, now });
    const other = tools.call({ name: 'kiln_wait', arguments: { ms: 1_000 }, timeoutMs: 30_000 });
    const late = tools.call({ name: 'kiln_wait', arguments: { ms: 60_000 }, timeoutMs: 300 });
    await expect(late).rejects.toMatchObject({ code: 'UPSTREAM_SLOW' });
    expect(await other).toMatchObject({ content: [{ text: 'done' }] });
    tools.close();
  });

  it('ends a program that floods its stdout, and tolerates a flood on stderr', async () => {
    await expect(eraOf(program('garbage'))).rejects.toMatchObject({ code: 'UPSTREAM_FLOOD' });
    expect(await eraOf(program('stderr'))).toBe('modern');
  });

  it('leaves no process running, not even children of the program', async () => {
    const folder = temporaryFolder();
    const pid = join(folder, 'pid');
    // A program whose child ignores signals and holds its pipes.
    const child = `process.on('SIGTERM', () => {}); require('fs').writeFileSync(${JSON.stringify(pid)}, String(process.pid)); setInterval(() => {}, 1000)`;
    const script = `require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(child)}], { stdio: 'inherit' }); setInterval(() => {}, 1000)`;
    const peer = peerAt({ kind: 'program', command: process.execPath, args: ['-e', script], env: {} });
    const used = eraOf(peer).catch(() => {});
    await expect.poll(() => readable(pid)).toMatch(/^\d+$/);
    await peer.close();
    await used;
    const gone = () => {
      try {
        return process.kill(Number(readable(pid)), 0);
      } catch {
        return 'gone';
      }
    };
    await expect.poll(gone).toBe('gone');
  });

  it('reports changed skills, and reconnects by itself while there are listeners', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'held.json');
    writeFileSync(file, JSON.stringify(UPSTREAM_SKILLS));
    const peer = program('catalog', file);
    let notices = 0;
    const stop = peer.onNotification('skills', () => {
      notices += 1;
    });
    await eraOf(peer);
    const renamed = { ...LATER_SKILLS, 'raku/SKILL.md': '---\nname: raku\ndescription: Smoke.\n---\nDo.\n' };
    writeFileSync(file, JSON.stringify(renamed));
    await expect.poll(() => notices).toBeGreaterThan(0);
    const before = notices;
    const tools = new ServerTools(peer, { refreshMs: 60_000, now });
    await tools.call({ name: 'kiln_crash', arguments: {}, timeoutMs: 30_000 }).catch(() => {});
    await expect.poll(() => notices).toBeGreaterThan(before);
    stop();
    tools.close();
  });
});

/** A server of the SDK's older major version, with sessions; `restart` forgets them. */
async function sessionSite() {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const { url } = await listening(async (request, response) => {
    const id = String(request.headers['mcp-session-id'] ?? '');
    let transport = sessions.get(id);
    if (transport === undefined && id !== '') {
      response.writeHead(404).end(
        JSON.stringify({
          jsonrpc: '2.0',
          error: { code: -32_001, message: 'Session not found' },
          id: null,
        }),
      );
      return;
    }
    if (transport === undefined) {
      const made = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => crypto.randomUUID(),
        onsessioninitialized: (session) => void sessions.set(session, made),
      });
      transport = made;
      await draftAServer().connect(made);
    }
    await transport.handleRequest(request, response);
  });
  return { url: `${url}/mcp`, restart: () => sessions.clear() };
}

describe('a connection over HTTP', () => {
  it('opens a new session if the server forgot the old one, without failing the call', async () => {
    const site = await sessionSite();
    const peer = peerAt({ kind: 'http', url: site.url, headers: {} });
    const tools = new ServerTools(peer, { refreshMs: 0, now });
    expect(await tools.list()).toEqual([]);
    expect(await eraOf(peer)).toBe('legacy');
    site.restart();
    let listed = 0;
    await peer.use(async (client) => {
      listed += 1;
      await client.listTools();
    });
    expect(listed).toBe(2);
    tools.close();
  });
});

function readable(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
