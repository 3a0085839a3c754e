/** Attacks by the size of files: Markdown that takes long to parse, and answers of many megabytes. */

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadSkill } from '../../src/gateway/load-skill.ts';
import { readReference } from '../../src/gateway/read-reference.ts';
import type { CatalogEntry } from '../../src/sources/scan/entry.ts';
import { skillFile, workplace } from '../acceptance/command.ts';
import { serveHttp } from '../acceptance/http-server.ts';
import { ENVELOPE, initializeParams } from '../src/mcp/raw.ts';
import { plant } from '../src/sources/scan/tree.ts';
import { rpc, sendFrom } from './http-server.ts';

const KIB = 2 ** 10;

/** Nested lists: the slowest Markdown for its size. */
const HOSTILE = '- a\n  - b\n';
const TEXT = 'all work and no play\n';

const TREE = {
  'huge/SKILL.md': skillFile('huge', 'Make more lists', HOSTILE.repeat((1_100 * KIB) / HOSTILE.length)),
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

describe('large files', () => {
  it('of more Markdown than anybody writes are refused before they are parsed', async () => {
    const { entry, files } = planted('huge');
    const refusal = { code: 'FILE_TOO_LARGE', data: { path: 'SKILL.md', limit: 2 ** 18 } };
    await expect(loadSkill(entry, {}, files)).rejects.toMatchObject(refusal);
    const heading = { path: 'SKILL.md', heading: 'x' };
    await expect(readReference(entry, heading, files)).rejects.toMatchObject(refusal);
    // By lines it is a text like any other.
    const read = await readReference(entry, { path: 'SKILL.md', lines: [6, 7] }, files);
    expect(read).toMatchObject({ slice: { text: '  - b\n- a' } });
  });
});

/** The JSON of an answer, or of its only event. */
const messageIn = (text: string) =>
  JSON.parse(text.startsWith('{') ? text : (/^data: (.*\S.*)$/m.exec(text)?.[1] ?? ''));

describe('a large resource', () => {
  it('arrives whole, in either era, in a session, and on a stream; one above 1 MiB is refused', async () => {
    const place = workplace();
    const text = `"ä" \\ ${TEXT}`.repeat(36_000);
    place.write('skills/big/SKILL.md', skillFile('big', 'Read a large file'));
    place.write('skills/big/references/big.md', text);
    place.write('skills/big/assets/big.bin', Buffer.alloc(2 ** 20 - 1, 0xfe));
    place.write('skills/big/assets/huge.bin', Buffer.alloc(2 ** 20 + 1));
    const server = await serveHttp(place, join(place.folder, 'skills'));
    const folder = async () =>
      /"(skill:[^"]*\/big)\/SKILL\.md"/.exec(
        (await sendFrom(server.url, { body: rpc('resources/list', {}) })).text,
      )?.[1];
    // The index may not be there yet.
    await expect.poll(folder).toBeDefined();
    const base = await folder();
    const { headers } = await sendFrom(server.url, {
      body: rpc('initialize', initializeParams('2025-06-18')),
    });
    const kinds: [headers: Record<string, string>, meta: object][] = [
      [{}, {}],
      [{ 'mcp-session-id': String(headers['mcp-session-id']) }, {}],
      [{ 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'resources/read' }, { _meta: ENVELOPE }],
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
      message: expect.stringContaining('has 1048577 bytes; at most 1048576 are read'),
    });
  });
});
