/** The Skills extension over real folders with the SDK's client, which verifies every byte, on both eras. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import type { Gateway } from '../../../src/gateway/gateway.ts';
import { mcpServerFactory } from '../../../src/mcp/server.ts';
import { skillsExtension } from '../../../src/mcp/skills-extension.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { testLibrary } from '../gateway/test-library.ts';
import { add, type Tree } from '../sources/scan/tree.ts';
import { connect, ERAS } from './harness.ts';

const skillFile = (name: string) => `---\nname: ${name}\ndescription: About ${name}.\n---\n# Body\n`;
/** Names in order of id. */
const namesUpTo = (count: number) => Array.from({ length: count }, (_, at) => `s${at}`).sort();
const many = (count: number): Tree =>
  Object.fromEntries(namesUpTo(count).map((name) => [`${name}/SKILL.md`, skillFile(name)]));

/** A library that counts who listens; `announce` tells them of a change. */
function library(tree: Tree) {
  const root = temporaryFolder();
  add(root, tree);
  const { gateway } = testLibrary(root);
  const listeners = new Set<(generation: number) => void>();
  const listening: Gateway = {
    ...gateway,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const announce = () => {
    for (const listener of listeners) listener(2);
  };
  return { gateway: listening, root, listeners, announce };
}

/** Outlives the tests of one era. */
const MANY = library(many(300));

/** Results without the SDK's own rules for entries. */
const looseResult = z.looseObject({
  skills: z.array(z.looseObject({ uri: z.string() })),
  nextCursor: z.string().optional(),
  _meta: z.record(z.string(), z.unknown()).optional(),
});
const looseResources = z.looseObject({ resources: z.array(z.unknown()) });

const FONT = new Uint8Array([0, 1, 0, 0, 255, 254]);
const TREE: Tree = {
  'documents/pdf-forms/SKILL.md': skillFile('pdf-forms'),
  'documents/pdf-forms/references/fields & forms.md': '\ufeffFields',
  'documents/pdf-forms/references/deep/more.md': 'More',
  'documents/pdf-forms/assets/font.ttf': FONT,
  'group@x/deploy/SKILL.md': skillFile('deploy'),
};

describe.each(ERAS)('the Skills extension on %s', (era) => {
  const open = async (served: ReturnType<typeof library> = library(TREE)) => {
    const { gateway, root, listeners } = served;
    const logged: string[] = [];
    const extension = skillsExtension((message) => logged.push(message));
    const connection = await connect(era, gateway, { features: [extension] });
    return { ...connection, skills: new SkillsClient(connection.client), root, listeners, logged };
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
      'skill://library/documents/pdf-forms/SKILL.md',
      'skill://library/group%40x/deploy/SKILL.md',
    ]);
    expect(entries[0]).toMatchObject({
      frontmatter: { name: 'pdf-forms', description: 'About pdf-forms.' },
      resources: { length: 4 },
    });
  });

  it('serves files that the client verifies: text, binary, with a byte-order mark, with special characters in the name', async () => {
    const { skills } = await open();
    const { skill } = await skills.get('skill://library/documents/pdf-forms/SKILL.md');
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
    const root = 'skill://library/documents/pdf-forms';
    expect(await names(root)).toEqual([
      'SKILL.md text/markdown',
      'assets inode/directory',
      'references inode/directory',
    ]);
    expect(await names(`${root}/references`)).toEqual([
      'deep inode/directory',
      'fields & forms.md text/markdown',
    ]);
    for (const uri of [`${root}/SKILL.md`, `${root}/nowhere`, 'skill://library', 'skill://library/documents'])
      await expect(skills.readDirectory(uri)).rejects.toMatchObject({ code: -32602 });
  });

  it('refuses what it does not serve', async () => {
    const { client, skills } = await open();
    await expect(skills.get('skill://library/none/SKILL.md')).rejects.toMatchObject({ code: -32602 });
    await expect(
      skills.get('skill://library/documents/pdf-forms/references/deep/more.md'),
    ).rejects.toMatchObject({ code: -32602 });
    for (const path of ['none.md', '../deploy/SKILL.md', '%2e%2e/x', '%ff', 'references'])
      await expect(
        client.readResource({ uri: `skill://library/documents/pdf-forms/${path}` }),
      ).rejects.toMatchObject({ code: -32602 });
  });

  it('lists page by page, and refuses an invalid cursor', async () => {
    const { skills } = await open(MANY);
    const names = (await skills.list()).skills.map(({ frontmatter }) => frontmatter.name);
    expect(names).toEqual(namesUpTo(300));
    await expect(skills.list({ cursor: 'rubbish' })).rejects.toMatchObject({ code: -32602 });
  });

  it('counts the skills that it leaves out, logs why, and still reads their files', async () => {
    const { client, logged } = await open(
      library({
        'big/SKILL.md': skillFile('big'),
        'big/a.bin': new Uint8Array(16 * 2 ** 20),
        'fine/SKILL.md': skillFile('fine'),
        'silent/SKILL.md': '---\nname: silent\n---\n',
      }),
    );
    const page = await client.request({ method: 'skills/list', params: {} }, looseResult);
    expect(page.skills).toMatchObject([{ frontmatter: { name: 'fine' } }]);
    expect(page._meta).toMatchObject({ 'io.github.skillgate/left-out': { 'too-large': 1, undescribed: 1 } });
    expect(logged).toEqual([
      'big is not published: it has 2 files of 16777265 bytes.',
      'silent is not published: it has no description and no text.',
    ]);
    for (const name of ['big', 'silent']) {
      const { contents } = await client.readResource({ uri: `skill://library/${name}/SKILL.md` });
      expect(contents).toMatchObject([{ text: expect.stringContaining(`name: ${name}`) }]);
    }
  });

  it('completes front matter that lacks a name or a description, and marks it', async () => {
    const text = '---\nname: Kiln Firing\n---\n# Kilns\r\n\r\nFire slowly.';
    const { skills } = await open(library({ 'kiln-firing/SKILL.md': text }));
    const got = await skills.get('skill://library/kiln-firing/SKILL.md');
    expect(got.skill).toMatchObject({
      frontmatter: { name: 'kiln-firing', description: 'Fire slowly.' },
      _meta: { 'io.github.skillgate/adapted': ['name-format', 'description-missing'] },
    });
    // The client checks size, digest and front matter of what it reads.
    expect(await skills.read(got.skill)).toMatchObject({
      verified: true,
      text: expect.stringMatching(/---\n# Kilns\r\n\r\nFire slowly\.$/),
    });
  });

  it('keeps a page below 64 KB, whatever its skills hold', async () => {
    const references = Array.from({ length: 30 }, (_, at) => `references/${at}.md`);
    const wide = namesUpTo(20).flatMap((name) =>
      references.map((path) => [`${name}/${path}`, path] as const),
    );
    const { client } = await open(library({ ...many(20), ...Object.fromEntries(wide) }));
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
    expect(seen).toEqual(namesUpTo(20).map((name) => `skill://library/${name}/SKILL.md`));
  });

  it('publishes a changed skill only after it matches the index again', async () => {
    const { client, skills, root, logged } = await open();
    await client.listResources();
    const write = (text: string) => writeFileSync(join(root, 'group@x/deploy/SKILL.md'), text);
    write('---\nname: deploy\ndescription: New.\n---\n');
    expect((await skills.list()).skills).toHaveLength(1);
    expect(logged[0]).toContain('have changed since they were indexed');
    write(skillFile('deploy'));
    expect((await skills.list()).skills).toHaveLength(2);
  });

  it('serves only bytes that match the published digest', async () => {
    const { skills, root } = await open();
    const { skill } = await skills.get('skill://library/group%40x/deploy/SKILL.md');
    writeFileSync(join(root, 'group@x/deploy/SKILL.md'), 'changed');
    await expect(skills.read(skill)).rejects.toMatchObject({ code: -32603 });
  });

  it('lists the skill files as resources, page by page', async () => {
    const small = await open();
    expect((await small.client.listResources()).resources).toMatchObject([
      { uri: 'skill://library/documents/pdf-forms/SKILL.md', name: 'pdf-forms' },
      { name: 'deploy' },
    ]);
    await small.close();
    const large = await open(MANY);
    const first = await large.client.request({ method: 'resources/list', params: {} }, looseResources);
    expect(first.resources).toHaveLength(100);
    expect((await large.client.listResources()).resources.map(({ name }) => name)).toEqual(namesUpTo(300));
    await expect(large.client.listResources({ cursor: 'rubbish' })).rejects.toMatchObject({ code: -32602 });
  });

  it('names each skill with the description that its author wrote, for clients that list resources', async () => {
    const long = `${'word '.repeat(150)}end.`;
    const { client } = await open(
      library({ 'long/SKILL.md': `---\nname: long\ndescription: ${long}\n---\n` }),
    );
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
    expect(await complete('pdf')).toEqual(['library/documents/pdf-forms']);
    expect(await complete('group%40x')).toEqual(['library/group%40x/deploy']);
    expect(await complete('no such')).toEqual([]);
    expect(await complete('%')).toEqual([]);
  });

  it('reports that there are more completions than it returns', async () => {
    const { client } = await open(MANY);
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
    const { gateway, announce } = library(TREE);
    const connection = await connect(era, gateway, { features: [skillsExtension(() => {})] });
    const announced = new Promise((resolve) =>
      connection.client.setNotificationHandler('notifications/resources/list_changed', resolve),
    );
    // The new revision sends only notifications that the client subscribed to.
    const subscription =
      era === 'legacy' ? undefined : await connection.client.listen({ resourcesListChanged: true });
    announce();
    expect(await announced).toMatchObject({ method: 'notifications/resources/list_changed' });
    await subscription?.close();
  });
});

describe.each(ERAS)('a catalog that is not open, on %s', (era) => {
  it('is not opened by who waits for its changes', async () => {
    const { gateway, listeners } = library(TREE);
    const open = vi.fn(async () => gateway);
    let begin = () => {};
    const opening = new Promise<void>((resolve) => {
      begin = resolve;
    });
    await connect(era, open, { known: null, opening, features: [skillsExtension(() => {})] });
    expect(open).not.toHaveBeenCalled();
    begin();
    await expect.poll(() => listeners.size).toBe(1);
  });
});

describe.each(ERAS)('servers that live for one request, on %s', (era) => {
  it('leave no listener behind, and send no notification inside an answer', async () => {
    const { gateway, listeners, announce } = library(TREE);
    let announceWhileAsked = true;
    const extension = skillsExtension(() => {});
    const errors: Error[] = [];
    const factory = mcpServerFactory({
      gateway: async () => ({
        ...gateway,
        async publishable(request) {
          if (announceWhileAsked) announce();
          announceWhileAsked = false;
          return gateway.publishable(request);
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
