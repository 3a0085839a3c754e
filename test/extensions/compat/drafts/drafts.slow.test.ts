/** The older drafts, with raw messages and real folders: golden files of whole messages, and a test per promise. */

import { describe, expect, it, onTestFinished } from 'vitest';
import type { Gateway } from '../../../../src/gateway/gateway.ts';
import { DIALECTS as catalog } from '../../../src/mcp/dialects.ts';
import { extendedServer } from '../../../src/mcp/extended-server.ts';
import { connectTo } from '../../../src/mcp/harness.ts';
import { connectRaw, type RawAnswer } from '../../../src/mcp/raw.ts';
import { DIALECT_SKILLS, realCatalog } from '../../../src/mcp/real-catalog.ts';

const client = await connectRaw(extendedServer(catalog.gateway));

/** A catalog of its own, and a client of it; both end with the test. */
async function over(files: Readonly<Record<string, string | Uint8Array>>) {
  const own = await realCatalog(files);
  const raw = await connectRaw(extendedServer(own.gateway));
  onTestFinished(async () => {});
  return { own, raw };
}

const skillsOf = ({ result }: RawAnswer) => result?.skills as Record<string, unknown>[];

describe('messages of the drafts', () => {
  // After an intended change: npx vitest run test/extensions/compat/drafts -u
  it.each([
    ['drafts/list', 'skills/list', {}],
    ['drafts/get-by-uri', 'skills/get', { uri: 'skill://dialects/pdf-forms/SKILL.md' }],
    ['draft-a/read', 'skills/read', { name: 'pdf-forms' }],
    ['draft-a/read-unknown', 'skills/read', { name: 'pdf-form' }],
    ['draft-a/read-reference', 'skills/read_reference', { name: 'pdf-forms', reference: 'fields' }],
    ['draft-a/read-reference-unknown', 'skills/read_reference', { name: 'kiln', reference: 'cone' }],
    ['draft-a/execute', 'skills/execute', { name: 'pdf-forms', script: 'fill', arguments: {} }],
    ['draft-b/get', 'skills/get', { name: 'pdf-forms' }],
    ['draft-b/get-unknown', 'skills/get', { name: 'pdf-form' }],
    ['draft-b/get-argument-missing', 'skills/get', { name: 'kiln', arguments: { glaze: 'ash' } }],
  ])('are those committed as %s', async (file, method, params) => {
    const { result, error } = await client.ask(method, params);
    const message = { request: { method, params }, ...(result && { result }), ...(error && { error }) };
    await expect(`${JSON.stringify(message, null, 2)}\n`).toMatchFileSnapshot(
      `../../../golden/dialects/${file.replace('/', '-')}.json`,
    );
  });
});

describe('the drafts together', () => {
  it('are announced to a client of an older revision', () => {
    expect(client.opened.result).toMatchObject({
      protocolVersion: '2025-11-25',
      capabilities: {
        skills: { listChanged: true, scripts: false },
        extensions: { 'io.modelcontextprotocol/skills': { directoryRead: true } },
      },
    });
  });

  it('list unique names, also for skills with the same name', async () => {
    const skills = skillsOf(await client.ask('skills/list'));
    expect(skills.map(({ name }) => name)).toEqual([
      'kiln-firing',
      'pdf-forms',
      'team-a/deploy',
      'team-b/deploy',
    ]);
    // The rule for names is kept, and the author's name is beside it.
    expect(skills[0]).toMatchObject({ title: 'Kiln Firing' });
    for (const { name, description } of skills) {
      const read = await client.ask('skills/read', { name });
      expect(read.result?.skill).toMatchObject({ description });
      const got = await client.ask('skills/get', { name, arguments: { cone: '6' } });
      expect(got.result).toMatchObject({ description });
    }
  });

  it('list short names for skills whose unique ids are long paths', async () => {
    const deep = Array.from({ length: 6 }, (_, at) => `folder-with-a-long-name-${at}`).join('/');
    const file = (text: string) => `---\nname: deploy\ndescription: ${text}.\n---\nBy ${text}.\n`;
    const { raw } = await over({
      [`a/${deep}/deploy/SKILL.md`]: file('One'),
      [`b/${deep}/deploy/SKILL.md`]: file('Two'),
    });
    const skills = skillsOf(await raw.ask('skills/list'));
    expect(new Set(skills.map(({ name }) => name)).size).toBe(2);
    for (const { name, title, description } of skills) {
      expect(name).toMatch(/^deploy-[0-9a-f]{8}$/);
      expect(title).toBe('deploy');
      expect((await raw.ask('skills/read', { name })).result?.skill).toMatchObject({ name, description });
      expect((await raw.ask('skills/get', { name })).result).toMatchObject({ description });
    }
  });

  it('are not served on 2026-07-28', async () => {
    const modern = await connectTo(extendedServer(catalog.gateway), '2026-07-28');
    expect(modern.client.getServerCapabilities()).not.toHaveProperty('skills');
    const { resourceTemplates } = await modern.client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate).join()).not.toContain('skillgate:');
  });

  it('leave the extension unchanged if they are disabled', async () => {
    const plain = await connectRaw(extendedServer(catalog.gateway, { drafts: false }));
    expect(plain.opened.result?.capabilities).not.toHaveProperty('skills');
    const [first] = skillsOf(await plain.ask('skills/list'));
    expect(Object.keys(first ?? {})).toEqual(['uri', 'frontmatter', 'resources', '_meta']);
    expect((await plain.ask('skills/read', { name: 'pdf-forms' })).error?.code).toBe(-32601);
    expect((await plain.ask('skills/get', { name: 'pdf-forms' })).error?.code).toBe(-32602);
  });

  it('announce a changed catalog while the client is connected', async () => {
    const { own, raw: watching } = await over({ 'a/SKILL.md': '---\nname: a\ndescription: A.\n---\nA.\n' });
    own.write({ 'b/SKILL.md': '---\nname: b\ndescription: B.\n---\nB.\n' });
    await own.library.update();
    await expect.poll(() => watching.notified).toContain('notifications/skills/list_changed');
    expect(skillsOf(await watching.ask('skills/list'))).toHaveLength(2);
  });

  it('page without gaps or repetitions and refuse an invalid cursor', async () => {
    const names = Array.from({ length: 520 }, (_, at) => `s${String(at).padStart(3, '0')}`);
    const { raw: paging } = await over(
      Object.fromEntries(
        names.map((name) => [`${name}/SKILL.md`, `---\nname: ${name}\ndescription: On ${name}.\n---\nDo.\n`]),
      ),
    );
    const seen: unknown[] = [];
    let cursor: unknown;
    do {
      const page = await paging.ask('skills/list', cursor === undefined ? {} : { cursor });
      seen.push(...skillsOf(page).map(({ name }) => name));
      cursor = page.result?.nextCursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(names);
    expect((await paging.ask('skills/list', { cursor: 'x' })).error?.code).toBe(-32602);
    expect((await paging.ask('skills/list', { cursor: 5 })).error?.code).toBe(-32602);
  }, 120_000);
});

describe('draft A', () => {
  const read = (reference: string, name = 'pdf-forms') =>
    client.ask('skills/read_reference', { name, reference });

  it('passes on licence, annotations and dependencies of the front matter, and every byte of a file', async () => {
    const bytes = '# Heat\r\n\r\nSlowly.\r\n';
    const { raw } = await over({
      'kiln/SKILL.md': `---
name: kiln
description: Fires.
license: MIT
annotations: {audience: [user, assistant], priority: 0.7, lastModified: "2025-01-02T03:04:05Z"}
dependencies: {tools: [kiln_start, search_skills], prompts: [glaze, use-skill], resources: [cones, 'skill://a/SKILL.md']}
---
Fire.
`,
      'kiln/references/heat.md': bytes,
      'kiln/scripts/go.sh': '#!/bin/sh\n# Starts the kiln.\ntrue\n',
    });
    const { result } = await raw.ask('skills/read', { name: 'kiln' });
    expect(result?.skill).toMatchObject({
      metadata: { license: 'MIT' },
      scripts: [{ name: 'go.sh', description: 'Starts the kiln.', path: 'scripts/go.sh' }],
      references: [{ name: 'heat.md', description: 'Heat', path: 'references/heat.md' }],
    });
    const [listed] = skillsOf(await raw.ask('skills/list'));
    expect(result?.skill).toMatchObject({
      annotations: { audience: ['user', 'assistant'], priority: 0.7, lastModified: '2025-01-02T03:04:05Z' },
    });
    // Only what this server offers is a dependency of the protocol.
    const dependencies = {
      tools: ['search_skills'],
      prompts: [{ type: 'ref/prompt', name: 'use-skill' }],
      resources: [{ type: 'ref/resource', uri: 'skill://a/SKILL.md' }],
    };
    const _meta = {
      'io.github.skillgate/other-tools': ['kiln_start'],
      'io.github.skillgate/other-prompts': [{ type: 'ref/prompt', name: 'glaze' }],
      'io.github.skillgate/other-resources': [{ type: 'ref/resource', uri: 'cones' }],
    };
    expect(listed).toMatchObject({
      annotations: { audience: ['user', 'assistant'], priority: 0.7, lastModified: '2025-01-02T03:04:05Z' },
      dependencies,
      _meta,
    });
    expect((await raw.ask('skills/get', { name: 'kiln' })).result).toMatchObject({ dependencies, _meta });
    for (const reference of ['heat', 'references/heat.md', './references/heat.md']) {
      const read = await raw.ask('skills/read_reference', { name: 'kiln', reference });
      expect(read.result?.content).toMatchObject({ text: bytes });
    }
    const file = await raw.ask('resources/read', {
      uri: 'skillgate:file?skill=kiln&path=references%2Fheat.md',
    });
    expect(file.result?.contents).toMatchObject([{ text: bytes }]);
  });

  it('gives references, icons, titles and descriptions as written, and every byte of the instructions', async () => {
    const { raw } = await over({
      'kiln/SKILL.md': `---\r
name: kiln\r
description: Fires.\r
version: 1.0\r
icons: [{src: "https://example.com/kiln.png", sizes: ["48x48"]}, {src: "file:///etc/passwd"}]\r
arguments: [{name: cone, title: Cone number, required: true}]\r
files: [{path: references/heat.md, title: Heat, description: How hot., required: true}]\r
dependencies:\r
  - {type: ref/tool, name: load_skill}\r
  - {type: ref/prompt, name: glaze}\r
  - {type: ref/resource, uri: "file:///cones.md"}\r
  - left-pad\r
---\r
# Fire\r
\r
To cone 6.\r
`,
      'kiln/references/heat.md': '# Heat\n',
      'Glaze It/SKILL.md':
        '---\nname: Glaze It!\ntitle: Glazes\ndescription: G.\nmetadata: {version: 2.10}\n---\nG\n',
    });
    const [glaze, kiln] = skillsOf(await raw.ask('skills/list'));
    expect(kiln).toMatchObject({
      version: '1.0',
      icons: [{ src: 'https://example.com/kiln.png', sizes: ['48x48'] }],
      arguments: [{ name: 'cone', title: 'Cone number', required: true }],
      dependencies: { tools: ['load_skill'] },
      _meta: {
        'io.github.skillgate/other-prompts': [{ type: 'ref/prompt', name: 'glaze' }],
        'io.github.skillgate/other-resources': [{ type: 'ref/resource', uri: 'file:///cones.md' }],
      },
    });
    expect(glaze).toMatchObject({
      name: 'glaze-it',
      title: 'Glazes',
      version: '2.10',
      _meta: { 'io.github.skillgate/original-name': 'Glaze It!' },
    });
    const instructions = '# Fire\r\n\r\nTo cone 6.\r\n';
    expect((await raw.ask('skills/read', { name: 'kiln' })).result?.skill).toMatchObject({
      instructions,
      references: [{ path: 'references/heat.md', description: 'How hot.' }],
    });
    expect((await raw.ask('skills/read', { name: 'glaze-it' })).result?.skill).toMatchObject({
      instructions: 'G\n',
    });
    expect((await raw.ask('skills/get', { name: 'kiln', arguments: { cone: '6' } })).result).toMatchObject({
      instructions,
      files: [{ name: 'references/heat.md', title: 'Heat', description: 'How hot.', required: true }],
    });
  });

  it('reads a skill at skill://<name>/…, and gets it with digests there', async () => {
    const uri = 'skill://pdf-forms/SKILL.md';
    const { result } = await client.ask('skills/get', { uri });
    expect(result?.skill).toMatchObject({ uri, frontmatter: { name: 'pdf-forms' } });
    const { resources } = (result?.skill ?? {}) as { resources: { uri: string }[] };
    expect(resources.map((each) => each.uri)).toContain('skill://pdf-forms/references/fields.md');
    for (const each of resources)
      expect((await client.ask('resources/read', { uri: each.uri })).result).toHaveProperty('contents');
    expect((await client.ask('skills/get', { uri: 'skill://deploy/SKILL.md' })).error?.code).toBe(-32602);
  });

  it('reads skills by id, uri and name, lenient ones too', async () => {
    for (const name of ['kiln', 'Kiln Firing', 'skill://dialects/kiln/SKILL.md']) {
      const { result } = await client.ask('skills/read', { name });
      expect(result?.skill).toMatchObject({
        name: 'kiln-firing',
        instructions: expect.stringContaining('Fire to $cone'),
      });
    }
  });

  it('describes files in their own encoding', async () => {
    const { raw } = await over({
      'kiln/SKILL.md': '---\nname: kiln\ndescription: Fires.\n---\nFire.\n',
      'kiln/references/a.md': Buffer.from('# Glühen für Anfänger\n\nDas Gefäß wird heiß.\n', 'latin1'),
    });
    const { result } = await raw.ask('skills/read', { name: 'kiln' });
    expect(result?.skill).toMatchObject({ references: [{ description: 'Glühen für Anfänger' }] });
  });

  it.each([
    ['skills/get', { name: 7 }, 'skills/get: `name` must be a string.'],
    ['skills/get', { name: 'kiln', arguments: 7 }, 'skills/get: `arguments` must be an object.'],
    ['skills/read', {}, 'skills/read: `name` must be a string, and is missing.'],
    ['skills/read', { name: '' }, 'skills/read: `name` must name a skill.'],
    [
      'skills/read_reference',
      { name: 'kiln', reference: null },
      'skills/read_reference: `reference` must be a string.',
    ],
    ['skills/execute', { name: 'kiln', script: [] }, 'skills/execute: `script` must be a string.'],
  ])('%s with %j says which member does not fit', async (method, params, message) => {
    expect((await client.ask(method, params)).error).toMatchObject({ code: -32602, message });
  });

  it('returns long instructions completely', async () => {
    // 250,000 characters: more than a slice of 50,000 tokens (3.6 characters each), and nearly the most of a skill.
    const body = Array.from({ length: 8_800 }, (_, at) => `Sentence ${at} of the guide.`).join('\n');
    const { raw: reading } = await over({
      'long/SKILL.md': `---\nname: long\ndescription: L.\n---\n${body}\n`,
    });
    const { result } = await reading.ask('skills/read', { name: 'long' });
    expect(result?.skill).toHaveProperty('instructions', `${body}\n`);
  });

  it.each([
    ['none', 'SKILL_UNKNOWN'],
    ['deploy', 'SKILL_AMBIGUOUS'],
  ])('says -32002 for %s, with the name', async (name, code) => {
    for (const [method, more] of [
      ['skills/read', {}],
      ['skills/read_reference', { reference: 'x' }],
      ['skills/execute', { script: 'x' }],
    ] as const)
      expect((await client.ask(method, { name, ...more })).error).toMatchObject({
        code: -32002,
        data: { name, code },
      });
  });

  it.each([
    ['references/fields.md', 'skill://dialects/pdf-forms/references/fields.md'],
    ['fields.md', 'skill://dialects/pdf-forms/references/fields.md'],
    ['fields', 'skill://dialects/pdf-forms/references/fields.md'],
    ['limits', 'skill://dialects/pdf-forms/references/deep/limits.md'],
    ['fill.py', 'skill://dialects/pdf-forms/scripts/fill.py'],
    ['template', 'skill://dialects/pdf-forms/assets/template.csv'],
  ])('finds the reference %s', async (reference, uri) => {
    const { result } = await read(reference);
    expect(result?.content).toMatchObject({ uri, mimeType: expect.any(String), text: expect.any(String) });
  });

  it.each(['none', '../kiln/SKILL.md', '/etc/passwd', 'references', 'references/../../kiln/SKILL.md'])(
    'says -32004 for the reference %s',
    async (reference) => {
      expect((await read(reference)).error).toMatchObject({
        code: -32004,
        data: { name: 'pdf-forms', nearest: ['references/deep/limits.md', 'references/fields.md'] },
      });
    },
  );

  it('returns -32603 for an unexpected error, and logs it', async () => {
    const logged: string[] = [];
    const broken: Gateway = { ...catalog.gateway, load: () => Promise.reject(new Error('secret at /home')) };
    const breaking = await connectRaw(extendedServer(broken, { logged }));
    const { error } = await breaking.ask('skills/read', { name: 'pdf-forms' });
    expect(error).toEqual({
      code: -32603,
      message: 'skillgate failed unexpectedly.',
      data: { name: 'pdf-forms' },
    });
    expect(logged.join()).toContain('secret at /home');
  });
});

describe('draft B', () => {
  it('inserts declared arguments and refuses missing required ones', async () => {
    const get = (given?: Record<string, unknown>) =>
      client.ask('skills/get', { name: 'kiln', ...(given && { arguments: given }) });
    expect((await get({ cone: '6', glaze: '$cone' })).result?.instructions).toBe(
      'Fire to 6 with $cone, not $conetop.\n',
    );
    expect((await get({ glaze: 'ash' })).error).toMatchObject({ code: -32602, data: { missing: ['cone'] } });
    expect((await get()).error?.code).toBe(-32602);
    expect((await get({ cone: 6 })).error?.code).toBe(-32602);
  });

  it.each(['pdf-forms', 'kiln'])('lists readable files of %s', async (name) => {
    const { result } = await client.ask('skills/get', { name, arguments: { cone: '6' } });
    const files = (result?.files ?? []) as { uri: string; name: string }[];
    expect(files.length).toBeGreaterThan(0);
    for (const { uri, name: path } of files) {
      const read = await client.ask('resources/read', { uri });
      const text = DIALECT_SKILLS[`${name}/${path}`]?.trim();
      expect(read.result?.contents).toEqual([
        expect.objectContaining({ uri, text: expect.stringContaining(text ?? 'a file of the fixture') }),
      ]);
    }
  });

  it.each(['skillgate:file?skill=kiln&path=none', 'skillgate:file?skill=none&path=x', 'skillgate:file'])(
    'reads nothing at %s',
    async (uri) => {
      expect((await client.ask('resources/read', { uri })).error?.code).toBe(-32602);
    },
  );
});
