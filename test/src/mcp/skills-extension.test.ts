/** The Skills extension with the SDK's client, which verifies every byte, on both eras. */

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { GatewayError, type LoadedFile, type SkillOnDisk } from '../../../src/gateway/public.ts';
import { mcpServerFactory } from '../../../src/mcp/server.ts';
import { type SkillLibrary, skillsExtension } from '../../../src/mcp/skills-extension.ts';
import { digestFiles } from '../../../src/skills/public.ts';
import { fakeGateway } from './fake-gateway.ts';
import { connect, ERAS, SKILLS } from './harness.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);
const skillFile = (name: string) => utf8(`---\nname: ${name}\ndescription: About ${name}.\n---\n# Body\n`);

interface Disk {
  readonly [id: string]: Record<string, Uint8Array>;
}

/** A library over folders in memory; the digests are computed when it is created. */
function library(disk: Disk, description?: string) {
  const listeners = new Set<(generation: number) => void>();
  const skills = Object.entries(disk).map(([id, files]): SkillOnDisk => {
    const digest = digestFiles(Object.entries(files).map(([path, bytes]) => ({ path, bytes })));
    const uri = `skill://fake/${id.split('/').map(encodeURIComponent).join('/')}/SKILL.md`;
    const name = id.split('/').at(-1) ?? '';
    return {
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
      const next = offset + limit < skills.length ? { nextCursor: String(offset + limit) } : {};
      return { skills: skills.slice(offset, offset + limit), ...next };
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
    const connection = await connect(era, { ...fakeGateway(SKILLS), ...open }, { extensions: [extension] });
    return { ...connection, skills: new SkillsClient(connection.client), listeners, logged };
  };

  it('is declared, including reading of folders [extension/capability]', async () => {
    const { skills, close } = await open();
    expect(skills.supported).toBe(true);
    expect(skills.directoryRead).toBe(true);
    await close();
  });

  it('lists every skill with its front matter and every file [extension/list]', async () => {
    const { skills, close } = await open();
    const { skills: entries } = await skills.list();
    expect(entries.map(({ uri }) => uri)).toEqual([
      'skill://fake/documents/pdf-forms/SKILL.md',
      'skill://fake/group%40x/deploy/SKILL.md',
    ]);
    expect(entries[0]).toMatchObject({
      frontmatter: { name: 'pdf-forms', description: 'About pdf-forms.' },
      resources: { length: 4 },
    });
    await close();
  });

  it('serves files that the client verifies: text, binary, with a byte-order mark, with special characters in the name [extension/digests]', async () => {
    const { skills, close } = await open();
    const { skill } = await skills.get('skill://fake/documents/pdf-forms/SKILL.md');
    expect(await skills.read(skill)).toMatchObject({ verified: true, body: '# Body\n' });
    expect(await skills.read(skill, 'references/fields & forms.md')).toMatchObject({ text: '\ufeffFields' });
    const font = await skills.read(skill, 'assets/font.ttf');
    expect([...font.bytes]).toEqual([...FONT]);
    expect(font).toMatchObject({ mimeType: 'font/ttf', verified: true });
    await close();
  });

  it('reads folders: their direct children, files and folders [extension/directory]', async () => {
    const { skills, close } = await open();
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
    await close();
  });

  it('refuses what it does not serve [extension/get]', async () => {
    const { client, skills, close } = await open();
    await expect(skills.get('skill://fake/none/SKILL.md')).rejects.toMatchObject({ code: -32602 });
    await expect(
      skills.get('skill://fake/documents/pdf-forms/references/deep/more.md'),
    ).rejects.toMatchObject({ code: -32602 });
    for (const path of ['none.md', '../deploy/SKILL.md', '%2e%2e/x', '%ff', 'references'])
      await expect(
        client.readResource({ uri: `skill://fake/documents/pdf-forms/${path}` }),
      ).rejects.toMatchObject({ code: -32602 });
    await close();
  });

  it('lists page by page, and refuses an invalid cursor [extension/pages]', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 1_100 }, (_, at) => [`s${at}`, { 'SKILL.md': skillFile(`s${at}`) }]),
    );
    const { skills, close } = await open(many);
    expect((await skills.list()).skills.map(({ frontmatter }) => frontmatter.name)).toEqual(
      Object.keys(many),
    );
    await expect(skills.list({ cursor: 'rubbish' })).rejects.toMatchObject({ code: -32602 });
    await close();
  });

  it('leaves out skills that break the extension’s rules, and logs why [extension/limits]', async () => {
    const big = { 'SKILL.md': skillFile('big'), 'a.bin': new Uint8Array(16 * 2 ** 20) };
    const wrong = { 'SKILL.md': skillFile('another-name') };
    const { skills, logged, close } = await open({ big, wrong, fine: { 'SKILL.md': skillFile('fine') } });
    expect((await skills.list()).skills.map(({ frontmatter }) => frontmatter.name)).toEqual(['fine']);
    expect(logged).toEqual([
      'big is not published: its files have more than 16777216 bytes.',
      expect.stringMatching(/^wrong is not published: .*must match the last path segment/),
    ]);
    await close();
  });

  it('publishes a changed skill only after it matches the index again [extension/snapshot]', async () => {
    const files = disk();
    const folder = files['group@x/deploy'] ?? {};
    const { skills, logged, close } = await open(files);
    const before = folder['SKILL.md'] ?? FONT;
    folder['SKILL.md'] = utf8('---\nname: deploy\ndescription: New.\n---\n');
    expect((await skills.list()).skills).toHaveLength(1);
    expect(logged[0]).toContain('have changed since they were indexed');
    folder['SKILL.md'] = before;
    expect((await skills.list()).skills).toHaveLength(2);
    await close();
  });

  it('serves only bytes that match the published digest [extension/snapshot]', async () => {
    const files = disk();
    const { skills, close } = await open(files);
    const { skill } = await skills.get('skill://fake/group%40x/deploy/SKILL.md');
    (files['group@x/deploy'] ?? {})['SKILL.md'] = utf8('changed');
    await expect(skills.read(skill)).rejects.toMatchObject({ code: -32603 });
    await close();
  });

  it('lists the skill files of a small catalog as resources, and none of a large one', async () => {
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
    expect((await large.client.listResources()).resources).toEqual([]);
    await large.close();
  });

  it('names each skill with the description that its author wrote, for clients that list resources [extension/resources]', async () => {
    const long = `${'word '.repeat(150)}end.`;
    const file = utf8(`---\nname: long\ndescription: ${long}\n---\n`);
    const { client, close } = await open({ long: { 'SKILL.md': file } }, long);
    expect((await client.listResources()).resources).toMatchObject([{ description: long }]);
    await close();
  });

  it('offers templates, and completes the beginning of a URI [extension/templates]', async () => {
    const { client, close } = await open();
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
    await close();
  });

  it('serves a completed URI', async () => {
    const { client, close } = await open();
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
    await close();
  });

  it('reports that there are more completions than it returns', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 120 }, (_, at) => [`s${at}`, { 'SKILL.md': skillFile(`s${at}`) }]),
    );
    const { client, close } = await open(many);
    const ref = { type: 'ref/resource', uri: 'skill://{+skill}/SKILL.md' } as const;
    const { completion } = await client.complete({ ref, argument: { name: 'skill', value: 's' } });
    expect(completion.values).toHaveLength(100);
    expect(completion.hasMore).toBe(true);
    await close();
  });

  it('listens for changes only while a client is connected', async () => {
    const { listeners, close } = await open();
    expect(listeners.size).toBe(1);
    await close();
    expect(listeners.size).toBe(0);
  });
});

describe.each(ERAS)('a change of the catalog on %s', (era) => {
  it('is announced [extension/list-changed]', async () => {
    const { open, listeners } = library(disk());
    const connection = await connect(
      era,
      { ...fakeGateway(SKILLS), ...open },
      { extensions: [skillsExtension(() => {})] },
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
    await connection.close();
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
      extensions: [extension],
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
