/** Attacks by the size of files: Markdown that takes long to parse, and answers of many megabytes. */

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { inOwnThread, inThisThread } from '../../src/gateway/file-work.ts';
import type { CatalogEntry } from '../../src/sources/scan/entry.ts';
import { root, skillFile, workplace } from '../acceptance/command.ts';
import { serveHttp } from '../acceptance/http-server.ts';
import { plant } from '../src/sources/scan/tree.ts';
import { rpc, sendFrom } from './http-server.ts';

const KIB = 2 ** 10;
const WORKER = pathToFileURL(join(root, 'dist', 'file-worker.js'));

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** Nested lists: the slowest Markdown for its size. */
const HOSTILE = '- a\n  - b\n';
const TEXT = 'all work and no play\n';

const TREE = {
  'hostile/SKILL.md': skillFile('hostile', 'Make lists', HOSTILE.repeat((200 * KIB) / HOSTILE.length)),
  'huge/SKILL.md': skillFile('huge', 'Make more lists', HOSTILE.repeat((1_100 * KIB) / HOSTILE.length)),
  'text/SKILL.md': skillFile('text', 'Read text'),
  'text/references/a b.md': `# One\n\n${TEXT.repeat(5_000)}\n# Two\n\nShort.\n`,
};

/** A skill of the tree and its files, as the catalog has them. */
function planted(id: string) {
  const folder = join(plant(TREE), id);
  const entry: CatalogEntry = {
    ...{ id, name: id, source: 'team', uri: `skill://team/${id}/SKILL.md`, folder, file: 'SKILL.md' },
    ...{ description: id, tags: [], allowedTools: [], mcpTools: [], strict: true, digest: '' },
    ...{ scripts: [], references: [] },
  };
  const files = Object.entries(TREE).flatMap(([path, text]) =>
    path.startsWith(`${id}/`)
      ? {
          path: path.slice(id.length + 1),
          kind: path.endsWith('SKILL.md') ? ('skill' as const) : ('reference' as const),
          size: Buffer.byteLength(text),
          mimeType: 'text/markdown',
        }
      : [],
  );
  return { entry, files };
}

/** What a promise comes to, as data. */
const outcome = (promise: Promise<unknown>) =>
  promise.catch((error) => ({
    name: error.name,
    code: error.code,
    message: error.message,
    data: error.data,
  }));

describe('large files', () => {
  it('are read in a thread of their own with the same results and errors', async () => {
    const work = inOwnThread(WORKER);
    const { entry, files } = planted('text');
    const path = 'references/a b.md';
    const uri = entry.uri.replace('SKILL.md', 'references/a%20b.md');
    for (const request of [
      { path },
      { path: `./${path}`, lines: [4_000, 4_010] as const },
      { path: uri, heading: 'two' },
      { path, heading: 'Three' },
      { path, lines: [9, 2] as const },
      { path: 'references/none.md' },
      { path: '../SKILL.md' },
    ])
      expect(await outcome(work.read(entry, request, files))).toEqual(
        await outcome(inThisThread.read(entry, request, files)),
      );
    const hostile = planted('hostile');
    expect(await work.load(hostile.entry, { maxTokens: 200 }, hostile.files)).toEqual(
      await inThisThread.load(hostile.entry, { maxTokens: 200 }, hostile.files),
    );
  });

  it('of hostile Markdown do not keep this thread busy', async () => {
    const { entry, files } = planted('hostile');
    const work = inOwnThread(WORKER);
    // The thread starts, and both have compiled the code.
    await work.load(entry, {}, files);
    await inThisThread.load(entry, {}, files);
    const latest = async (load: () => Promise<unknown>) => {
      let most = 0;
      let last = performance.now();
      const timer = setInterval(() => {
        most = Math.max(most, performance.now() - last);
        last = performance.now();
      }, 5);
      await sleep(50);
      await load();
      await sleep(50);
      clearInterval(timer);
      return most;
    };
    const here = await latest(() => inThisThread.load(entry, {}, files));
    const there = await latest(() => work.load(entry, {}, files));
    console.info(`Latest timer: ${here} ms in this thread, ${there} ms next to another.`);
    expect(there).toBeLessThan(here / 2);
  });

  it('of more Markdown than anybody writes are refused before they are parsed', async () => {
    const { entry, files } = planted('huge');
    const refusal = { code: 'FILE_TOO_LARGE', data: { path: 'SKILL.md', limit: 2 ** 19 } };
    for (const work of [inThisThread, inOwnThread(WORKER)]) {
      await expect(work.load(entry, {}, files)).rejects.toMatchObject(refusal);
      await expect(work.read(entry, { path: 'SKILL.md', heading: 'x' }, files)).rejects.toMatchObject(
        refusal,
      );
      // By lines it is a text like any other.
      const read = await work.read(entry, { path: 'SKILL.md', lines: [6, 7] }, files);
      expect(read).toMatchObject({ slice: { text: '  - b\n- a' } });
    }
  });
});

/** The JSON of an answer, or of its only event. */
const messageIn = (text: string) =>
  JSON.parse(text.startsWith('{') ? text : (/^data: (.*\S.*)$/m.exec(text)?.[1] ?? ''));

describe('a resource of several megabytes', () => {
  it('arrives whole, in either era, in a session, and on a stream; one above 4 MiB is refused', async () => {
    const place = workplace();
    ends.push(() => place.remove());
    const text = `"ä" \\ ${TEXT}`.repeat(100_000);
    place.write('skills/big/SKILL.md', skillFile('big', 'Read a large file'));
    place.write('skills/big/references/big.md', text);
    place.write('skills/big/assets/big.bin', Buffer.alloc(3 * 2 ** 20 + 1, 0xfe));
    place.write('skills/big/assets/huge.bin', Buffer.alloc(4 * 2 ** 20 + 1));
    const server = await serveHttp(place, join(place.folder, 'skills'));
    ends.push(() => server.end());
    const folder = async () =>
      /"(skill:[^"]*\/big)\/SKILL\.md"/.exec(
        (await sendFrom(server.url, { body: rpc('resources/list', {}) })).text,
      )?.[1];
    // The index may not be there yet.
    await expect.poll(folder).toBeDefined();
    const base = await folder();
    const modern = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const initialize = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'raw', version: '1' },
    };
    const { headers } = await sendFrom(server.url, { body: rpc('initialize', initialize) });
    const kinds: [headers: Record<string, string>, meta: object][] = [
      [{}, {}],
      [{ 'mcp-session-id': String(headers['mcp-session-id']) }, {}],
      [{ 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'resources/read' }, { _meta: modern }],
    ];
    for (const [more, meta] of kinds)
      for (const path of ['references/big.md', 'assets/big.bin']) {
        const uri = `${base}/${path}`;
        const named: Record<string, string> = 'mcp-method' in more ? { ...more, 'mcp-name': uri } : more;
        const answer = await sendFrom(server.url, {
          headers: named,
          body: rpc('resources/read', { uri, ...meta }),
        });
        const [content] = messageIn(answer.text).result.contents;
        if (path.endsWith('.md')) expect(content.text === text).toBe(true);
        else expect(Buffer.from(content.blob, 'base64').every((byte) => byte === 0xfe)).toBe(true);
      }
    const huge = await sendFrom(server.url, {
      body: rpc('resources/read', { uri: `${base}/assets/huge.bin` }),
    });
    expect(messageIn(huge.text).error).toMatchObject({
      code: -32_602,
      message: expect.stringContaining('has 4194305 bytes; at most 4194304 are read'),
    });
  });
});
