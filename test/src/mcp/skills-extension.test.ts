/** The Skills extension with the SDK's client, which verifies every byte, on both eras. */

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { GatewayError, type LoadedFile, type SkillOnDisk } from '../../../src/gateway/gateway.ts';
import { mcpServerFactory } from '../../../src/mcp/server.ts';
import { type SkillLibrary, skillsExtension } from '../../../src/mcp/skills-extension.ts';
import { digestFiles } from '../../../src/skills/digest.ts';
import { fakeGateway, SKILLS } from './fake-gateway.ts';
import { connect, ERAS } from './harness.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);
const skillFile = (name: string) => utf8(`---\nname: ${name}\ndescription: About ${name}.\n---\n# Body\n`);

interface Disk {
  readonly [id: string]: Record<string, Uint8Array>;
}

/** A library over folders in memory; the digests are computed when it is created. */
function library(disk: Disk, description?: string) {
  const listeners = new Set<(generation: number) => void>();
  const skills = Object.entries(disk).map(([id, files], at): SkillOnDisk => {
    const digest = digestFiles(Object.entries(files).map(([path, bytes]) => ({ path, bytes })));
    const uri = `skill://fake/${id.split('/').map(encodeURIComponent).join('/')}/SKILL.md`;
    const name = id.split('/').at(-1) ?? '';
    return {
      root: uri.replace(/\/SKILL\.md$/, ''),
      nested: async () => [],
      cursor: String(at + 1),
      entry: {
        id,
        source: 'fake',
        uri,
        folder: `/skills/${id}`,
        file: 'SKILL.md',
        name,
        description: description ?? `About ${name}.`,
        tags: [],
        allowedTools: [],
        mcpTools: [],
        strict: true,
        digest,
        scripts: [],
        references: [],
      },
      files: Object.entries(files).map(
        ([path, { length }]): LoadedFile => ({
          path,
          size: length,
          kind: 'asset',
          mimeType: path.endsWith('.md') ? 'text/markdown' : 'font/ttf',
        }),
      ),
      async bytes(path) {
        const bytes = files[path];
        if (bytes === undefined) throw new Error(`no ${path}`);
        return bytes;
      },
    };
  });
  const open: SkillLibrary = {
    async publishable({ cursor, limit }) {
      const offset = cursor === undefined ? 0 : Number(cursor);
      if (!Number.isSafeInteger(offset)) throw new GatewayError('REQUEST_INVALID', 'The cursor is not ours.');
      return { skills: skills.slice(offset, offset + limit), more: offset + limit < skills.length };
    },
    async list({ cursor, limit }) {
      const offset = cursor === undefined ? 0 : Number(cursor);
      if (!Number.isSafeInteger(offset)) throw new GatewayError('REQUEST_INVALID', 'The cursor is not ours.');
      const next = offset + limit < skills.length ? { nextCursor: String(offset + limit) } : {};
      const entries = skills.slice(offset, offset + limit).map(({ entry }) => entry);
      return { total: skills.length, entries, ...next };
    },
    async publishableAt(uri) {
      return skills
        .filter(({ entry }) => `${uri}/`.startsWith(entry.uri.replace(/SKILL\.md$/, '')))
        .toSorted((a, b) => b.entry.uri.length - a.entry.uri.length)[0];
    },
    async completeUri({ text, limit }) {
      return skills
        .filter(({ entry }) => entry.id.includes(text))
        .map(({ entry }) => entry.uri)
        .slice(0, limit);
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return { open, listeners };
}

/** Results without the SDK's own rules for entries. */
const looseResult = z.looseObject({
  skills: z.array(z.looseObject({ uri: z.string() })),
  nextCursor: z.string().optional(),
  _meta: z.record(z.string(), z.unknown()).optional(),
});
const looseResources = z.looseObject({ resources: z.array(z.unknown()) });

const FONT = new Uint8Array([0, 1, 0, 0, 255, 254]);
const disk = (): Disk => ({
  'documents/pdf-forms': {
    'SKILL.md': skillFile('pdf-forms'),
    'references/fields & forms.md': utf8('\ufeffFields'),
    'references/deep/more.md': utf8('More'),
    'assets/font.ttf': FONT,
  },
  'group@x/deploy': { 'SKILL.md': skillFile('deploy') },
});

describe.each(ERAS)('the Skills extension on %s', (era) => {
  const open = async (files: Disk = disk(), description?: string) => {
    const { open, listeners } = library(files, description);
    const logged: string[] = [];
    const extension = skillsExtension((message) => logged.push(message));
    const connection = await connect(era, { ...fakeGateway(SKILLS), ...open }, { features: [extension] });
    return { ...connection, skills: new SkillsClient(connection.client), listeners, logged };
  };

  it('is declared, including reading of folders', async () => {
    const { skills } = await open();
    expect(skills.supported).toBe(true);
    expect(skills.directoryRead).toBe(true);
  });

  it('lists every skill with its front matter and every file', async () => {
    const { skills } = await open();
    const { skills: entries } = await skills.list();
    expect(entries.map(({ uri }) => uri)).toEqual([
      'skill://fake/documents/pdf-forms/SKILL.md',
      'skill://fake/group%40x/deploy/SKILL.md',
    ]);
    expect(entries[0]).toMatchObject({
      frontmatter: { name: 'pdf-forms', description: 'About pdf-forms.' },
      resources: { length: 4 },
    });
  });

  it('serves files that the client verifies: text, binary, with a byte-order mark, with special characters in the name', async () => {
    const { skills } = await open();
    const { skill } = await skills.get('skill://fake/documents/pdf-forms/SKILL.md');
    expect(await skills.read(skill)).toMatchObject({ verified: true, body: '# Body\n' });
    expect(await skills.read(skill, 'references/fields & forms.md')).toMatchObject({ text: '\ufeffFields' });
    const font = await skills.read(skill, 'assets/font.ttf');
    expect([...font.bytes]).toEqual([...FONT]);
    expect(font).toMatchObject({ mimeType: 'font/ttf', verified: true });
  });

  it('reads folders: their direct children, files and folders', async () => {
    const { skills } = await open();
    const names = async (uri: string) => {
      const { resources } = await skills.readDirectory(uri);
      return resources.map(({ name, mimeType }) => `${name} ${mimeType}`);
    };
    const root = 'skill://fake/documents/pdf-forms';
    expect(await names(root)).toEqual([
      'SKILL.md text/markdown',
      'assets inode/directory',
      'references inode/directory',
    ]);
    expect(await names(`${root}/references`)).toEqual([
      'deep inode/directory',
      'fields & forms.md text/markdown',
    ]);
    for (const uri of [`${root}/SKILL.md`, `${root}/nowhere`, 'skill://fake', 'skill://fake/documents'])
      await expect(skills.readDirectory(uri)).rejects.toMatchObject({ code: -32602 });
  });

  it('refuses what it does not serve', async () => {
    const { client, skills } = await open();
    await expect(skills.get('skill://fake/none/SKILL.md')).rejects.toMatchObject({ code: -32602 });
    await expect(
      skills.get('skill://fake/documents/pdf-forms/references/deep/more.md'),
    ).rejects.toMatchObject({ code: -32602 });
    for (const path of ['none.md', '../deploy/SKILL.md', '%2e%2e/x', '%ff', 'references'])
      await expect(
        client.readResource({ uri: `skill://fake/documents/pdf-forms/${path}` }),
      ).rejects.toMatchObject({ code: -32602 });
  });

  it('lists page by page, and refuses an invalid cursor', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 1_100 }, (_, at) => [`s${at}`, { 'SKILL.md': skillFile(`s${at}`) }]),
    );
    const { skills } = await open(many);
    expect((await skills.list()).skills.map(({ frontmatter }) => frontmatter.name)).toEqual(
      Object.keys(many),
    );
    await expect(skills.list({ cursor: 'rubbish' })).rejects.toMatchObject({ code: -32602 });
  });

  it('counts the skills that it leaves out, logs why, and still reads their files', async () => {
    const big = { 'SKILL.md': skillFile('big'), 'a.bin': new Uint8Array(16 * 2 ** 20) };
    const silent = { 'SKILL.md': utf8('---\nname: silent\n---\n') };
    const { client, logged } = await open({ big, silent, fine: { 'SKILL.md': skillFile('fine') } });
    const page = await client.request({ method: 'skills/list', params: {} }, looseResult);
    expect(page.skills).toMatchObject([{ frontmatter: { name: 'fine' } }]);
    expect(page._meta).toMatchObject({ 'io.github.skillgate/left-out': { 'too-large': 1, undescribed: 1 } });
    expect(logged).toEqual([
      'big is not published: it has 2 files of 16777265 bytes.',
      'silent is not published: it has no description and no text.',
    ]);
    for (const name of ['big', 'silent']) {
      const { contents } = await client.readResource({ uri: `skill://fake/${name}/SKILL.md` });
      expect(contents).toMatchObject([{ text: expect.stringContaining(`name: ${name}`) }]);
    }
  });

  it('lists nested metadata, unknown keys and long descriptions as they are written', async () => {
    const written = `---\r\nname: odd\r\ndescription: ${'word '.repeat(300)}end\r\nmetadata:\r\n  a: {b: [1, true]}\r\nmade: "2024-01-01"\r\n---\r\nBody\r\n\r\n`;
    const { client } = await open({ odd: { 'SKILL.md': utf8(written) } });
    const { skills } = await client.request({ method: 'skills/list', params: {} }, looseResult);
    expect(skills).toMatchObject([
      {
        uri: 'skill://fake/odd/SKILL.md',
        frontmatter: {
          name: 'odd',
          description: `${'word '.repeat(300)}end`,
          metadata: { a: { b: [1, true] } },
          made: '2024-01-01',
        },
        resources: [{ size: written.length }],
      },
    ]);
    expect(skills[0]).not.toHaveProperty('_meta');
    const { contents } = await client.readResource({ uri: 'skill://fake/odd/SKILL.md' });
    expect(contents).toMatchObject([{ text: written }]);
  });

  it('completes front matter that lacks a name or a description, and marks it', async () => {
    const body = '# Kilns\r\n\r\nFire slowly.';
    const files = { 'SKILL.md': utf8(`---\nname: Kiln Firing\nmetadata: {cone: 6}\n---\n${body}`) };
    const { skills, close } = await open({ 'kiln-firing': files });
    const { skill } = await skills.get('skill://fake/kiln-firing/SKILL.md').catch(() => ({ skill: null }));
    expect(skill).toBeNull();
    await close();
    const strict = { 'SKILL.md': utf8(`---\nname: Kiln Firing\n---\n${body}`) };
    const second = await open({ 'kiln-firing': strict });
    const got = await second.skills.get('skill://fake/kiln-firing/SKILL.md');
    expect(got.skill).toMatchObject({
      frontmatter: { name: 'kiln-firing', description: 'Fire slowly.' },
      _meta: { 'io.github.skillgate/adapted': ['name-format', 'description-missing'] },
    });
    // The client checks size, digest and front matter of what it reads.
    expect(await second.skills.read(got.skill)).toMatchObject({
      verified: true,
      text: expect.stringMatching(/---\n# Kilns\r\n\r\nFire slowly\.$/),
    });
  });

  it('keeps a page below 64 KB, whatever its skills hold', async () => {
    const wide = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [
        `s${String(at).padStart(2, '0')}`,
        Object.fromEntries([
          ['SKILL.md', skillFile(`s${String(at).padStart(2, '0')}`)],
          ...Array.from({ length: 30 }, (_, file) => [`references/${file}.md`, utf8(`${file}`)]),
        ]),
      ]),
    );
    const { client } = await open(wide);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.request(
        { method: 'skills/list', params: cursor === undefined ? {} : { cursor } },
        looseResult,
      );
      expect(JSON.stringify(page).length).toBeLessThan(64_000);
      seen.push(...page.skills.map(({ uri }) => uri));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(Object.keys(wide).map((name) => `skill://fake/${name}/SKILL.md`));
  });

  it('publishes a changed skill only after it matches the index again', async () => {
    const files = disk();
    const folder = files['group@x/deploy'] ?? {};
    const { skills, logged } = await open(files);
    const before = folder['SKILL.md'] ?? FONT;
    folder['SKILL.md'] = utf8('---\nname: deploy\ndescription: New.\n---\n');
    expect((await skills.list()).skills).toHaveLength(1);
    expect(logged[0]).toContain('have changed since they were indexed');
    folder['SKILL.md'] = before;
    expect((await skills.list()).skills).toHaveLength(2);
  });

  it('serves only bytes that match the published digest', async () => {
    const files = disk();
    const { skills } = await open(files);
    const { skill } = await skills.get('skill://fake/group%40x/deploy/SKILL.md');
    (files['group@x/deploy'] ?? {})['SKILL.md'] = utf8('changed');
    await expect(skills.read(skill)).rejects.toMatchObject({ code: -32603 });
  });

  it('lists the skill files as resources, page by page', async () => {
    const small = await open();
    expect((await small.client.listResources()).resources).toMatchObject([
      { uri: 'skill://fake/documents/pdf-forms/SKILL.md', name: 'pdf-forms' },
      { name: 'deploy' },
    ]);
    await small.close();
    const many = Object.fromEntries(
      Array.from({ length: 201 }, (_, at) => [`s${at}`, { 'SKILL.md': skillFile(`s${at}`) }]),
    );
    const large = await open(many);
    const first = await large.client.request({ method: 'resources/list', params: {} }, looseResources);
    expect(first.resources).toHaveLength(100);
    expect((await large.client.listResources()).resources.map(({ name }) => name)).toEqual(Object.keys(many));
    await expect(large.client.listResources({ cursor: 'rubbish' })).rejects.toMatchObject({ code: -32602 });
  });

  it('names each skill with the description that its author wrote, for clients that list resources', async () => {
    const long = `${'word '.repeat(150)}end.`;
    const file = utf8(`---\nname: long\ndescription: ${long}\n---\n`);
    const { client } = await open({ long: { 'SKILL.md': file } }, long);
    expect((await client.listResources()).resources).toMatchObject([{ description: long }]);
  });

  it('offers templates, and completes the beginning of a URI', async () => {
    const { client } = await open();
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'skill://{+skill}/SKILL.md',
      'skill://{+path}',
    ]);
    const ref = { type: 'ref/resource', uri: 'skill://{+skill}/SKILL.md' } as const;
    const complete = async (value: string) =>
      (await client.complete({ ref, argument: { name: 'skill', value } })).completion.values;
    expect(await complete('pdf')).toEqual(['fake/documents/pdf-forms']);
    expect(await complete('group%40x')).toEqual(['fake/group%40x/deploy']);
    expect(await complete('no such')).toEqual([]);
    expect(await complete('%')).toEqual([]);
  });

  it('serves a completed URI', async () => {
    const { client } = await open();
    const { contents } = await client.readResource({ uri: 'skill://fake/group%40x/deploy/SKILL.md' });
    expect(contents).toEqual([
      {
        uri: 'skill://fake/group%40x/deploy/SKILL.md',
        mimeType: 'text/markdown',
        text: '---\nname: deploy\ndescription: About deploy.\n---\n# Body\n',
      },
    ]);
    await expect(client.readResource({ uri: 'skill://fake/none/SKILL.md' })).rejects.toMatchObject({
      code: -32602,
    });
  });

  it('reports that there are more completions than it returns', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 120 }, (_, at) => [`s${at}`, { 'SKILL.md': skillFile(`s${at}`) }]),
    );
    const { client } = await open(many);
    const ref = { type: 'ref/resource', uri: 'skill://{+skill}/SKILL.md' } as const;
    const { completion } = await client.complete({ ref, argument: { name: 'skill', value: 's' } });
    expect(completion.values).toHaveLength(100);
    expect(completion.hasMore).toBe(true);
  });

  it('listens for changes only while a client is connected', async () => {
    const { listeners, close } = await open();
    expect(listeners.size).toBe(1);
    await close();
    expect(listeners.size).toBe(0);
  });
});

describe.each(ERAS)('a change of the catalog on %s', (era) => {
  it('is announced', async () => {
    const { open, listeners } = library(disk());
    const connection = await connect(
      era,
      { ...fakeGateway(SKILLS), ...open },
      { features: [skillsExtension(() => {})] },
    );
    const announced = new Promise((resolve) =>
      connection.client.setNotificationHandler('notifications/resources/list_changed', resolve),
    );
    // The new revision sends only notifications that the client subscribed to.
    const subscription =
      era === 'legacy' ? undefined : await connection.client.listen({ resourcesListChanged: true });
    for (const listener of listeners) listener(2);
    expect(await announced).toMatchObject({ method: 'notifications/resources/list_changed' });
    await subscription?.close();
  });
});

describe.each(ERAS)('servers that live for one request, on %s', (era) => {
  it('leave no listener behind, and send no notification inside an answer', async () => {
    const { open, listeners } = library(disk());
    let announceWhileAsked = true;
    const extension = skillsExtension(() => {});
    const errors: Error[] = [];
    const factory = mcpServerFactory({
      gateway: async () => ({
        ...fakeGateway(SKILLS),
        ...open,
        async publishable(request) {
          if (announceWhileAsked) for (const listener of listeners) listener(2);
          announceWhileAsked = false;
          return open.publishable(request);
        },
      }),
      version: '0',
      log: () => {},
      features: [extension],
    });
    const handler = createMcpHandler(factory, { onerror: (error) => errors.push(error) });
    const mode = era === 'legacy' ? era : { pin: era };
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    let announced = 0;
    client.setNotificationHandler('notifications/resources/list_changed', () => {
      announced += 1;
    });
    const fetch = (input: string | URL, init?: RequestInit) => handler.fetch(new Request(input, init));
    await client.connect(new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), { fetch }));
    expect((await client.listResources()).resources).toHaveLength(2);
    expect((await new SkillsClient(client).list()).skills).toHaveLength(2);
    expect(announceWhileAsked).toBe(false);
    expect(announced).toBe(0);
    await expect.poll(() => listeners.size).toBe(0);
    await client.close();
    await handler.close();
    // An older client asks for a separate stream, which a server for one request does not have.
    expect(errors).toEqual([]);
  });
});
