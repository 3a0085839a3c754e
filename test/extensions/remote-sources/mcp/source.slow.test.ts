import { describe, expect, it } from 'vitest';
import { mcpSource } from '../../../../extensions/remote-sources/mcp/source.ts';
import { bytesServed, SkillPublisher } from '../../../../src/mcp/published-skills.ts';
import { hashBytes } from '../../../../src/skills/digest.ts';
import { describeFetchedSource, fetchOptions } from '../../../contracts/fetched-source.ts';
import { endWithTest } from '../../../end-with-test.ts';
import { heldOverHttp, heldProgram } from '../../../peers/held-origin.ts';
import { type HostileServer, lyingServer, replyOf } from '../../../peers/hostile.ts';
import { testLibrary } from '../../../src/gateway/test-library.ts';
import { listening } from '../../../src/serve/stdio/ask.ts';
import { plant } from '../../../src/sources/scan/tree.ts';

describeFetchedSource('mcpSource on pipes', heldProgram);
describeFetchedSource('mcpSource over HTTP', heldOverHttp);

/** A source over a server on loopback whose answers the test controls. */
async function sourceOver(server: HostileServer, more: { fetch?: 'list' | 'instructions' | 'all' } = {}) {
  const asked: string[] = [];
  const { url } = await listening((request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(405).end();
      return;
    }
    let body = '';
    request.on('data', (piece) => {
      body += piece;
    });
    request.on('end', async () => {
      const message = JSON.parse(body);
      asked.push(`${message.method} ${message.params?.uri ?? ''}`.trim());
      const reply = await replyOf(server, message);
      response.writeHead(reply === null ? 202 : 200, { 'content-type': 'application/json' }).end(reply ?? '');
    });
  });
  const source = mcpSource({
    ...fetchOptions(plant({})),
    url: `${url}/mcp`,
    allowPrivate: true,
    ...more,
  });
  endWithTest(() => source.close());
  return { source, asked };
}

describe('mcpSource', () => {
  it('keeps the last accepted version of a skill if a later one fails its check, and reports it', async () => {
    const { answer, ...server } = lyingServer();
    let honest = true;
    const { source } = await sourceOver({
      ...server,
      async answer(method, params) {
        if (!honest) {
          // Another size makes another version.
          const text = JSON.stringify((await answer(method, params)) ?? null);
          return JSON.parse(text.replaceAll('"size":18', '"size":19')) ?? undefined;
        }
        return method === 'resources/read' && String(params.uri).endsWith('a.md')
          ? { contents: [{ uri: params.uri, text: 'What was promised.' }] }
          : answer(method, params);
      },
    });
    await source.refresh();
    const idsOf = async () => (await source.scan()).folders.map(({ id }) => id);
    expect(await idsOf()).toEqual(['h/honest', 'h/lying']);
    honest = false;
    expect(await source.refresh()).toBe(false);
    expect(source.status().failure).toBeNull();
    expect(await idsOf()).toEqual(['h/honest', 'h/lying']);
    const { diagnostics } = await source.scan();
    expect(diagnostics).toMatchObject([
      { id: 'skill-refused', message: expect.stringContaining('was not updated') },
    ]);
  });

  it('leaves out a skill whose files and folders take the same names, or those of another skill', async () => {
    const skill = (name: string) => `---\nname: ${name}\ndescription: Brews tea.\n---\nText.\n`;
    const files: Record<string, string> = {
      'skill://h/a/SKILL.md': skill('a'),
      'skill://h/a/b': 'A file where a folder belongs.',
      'skill://h/c/SKILL.md': skill('c'),
      'skill://h/c/x': 'A file.',
      'skill://h/c/x/y.md': 'A file below a file.',
      'skill://h/honest/SKILL.md': skill('honest'),
    };
    const { source } = await sourceOver({
      capabilities: { resources: {} },
      answer(method, { uri }) {
        if (method === 'resources/list')
          return { resources: Object.keys(files).map((at) => ({ uri: at, name: at })) };
        return method === 'resources/read'
          ? { contents: [{ uri, text: files[String(uri)] ?? '' }] }
          : undefined;
      },
    });
    const served = async () => (await source.scan()).folders.map(({ id }) => id);
    await source.refresh();
    expect(source.status().failure).toBeNull();
    expect(await served()).toEqual(['h/a', 'h/honest']);
    expect((await source.scan()).diagnostics).toMatchObject([
      {
        id: 'skill-refused',
        message: expect.stringContaining('"skill://h/c/SKILL.md" was left out: its file'),
      },
    ]);
    // A folder where the file was, and a skill in it.
    files['skill://h/a/b/SKILL.md'] = skill('b');
    await source.refresh();
    expect(source.status().failure).toBeNull();
    expect(await served()).toContain('h/honest');
    expect((await served()).filter((id) => id.startsWith('h/a'))).toHaveLength(1);
  });

  it('reads only skills again that the list shows as changed', async () => {
    const { source, asked } = await sourceOver(lyingServer());
    await source.refresh();
    expect(asked).toContain('resources/read skill://h/honest/SKILL.md');
    asked.length = 0;
    await source.refresh();
    expect(asked).toContain('skills/list');
    expect(asked).not.toContain('resources/read skill://h/honest/SKILL.md');
  });

  describe('that fetches instructions', () => {
    const honestServer = (): HostileServer => ({
      ...lyingServer(),
      answer: async (method, params) =>
        method === 'resources/read' && String(params.uri).endsWith('a.md')
          ? { contents: [{ uri: params.uri, text: 'What was promised.' }] }
          : lyingServer().answer(method, params),
    });
    const filesAt = async (source: Awaited<ReturnType<typeof sourceOver>>['source'], id: string) => {
      const { folders } = await source.scan();
      return source.filesOf(folders.find((folder) => folder.id === id)!.folder);
    };

    it('reads other files when they are needed, and lists them before', async () => {
      const { source, asked } = await sourceOver(honestServer(), { fetch: 'instructions' });
      await source.refresh();
      const reads = () => asked.filter((request) => request.startsWith('resources/read')).toSorted();
      const skillFiles = ['honest', 'lying'].map((name) => `resources/read skill://h/${name}/SKILL.md`);
      expect(reads()).toEqual(skillFiles);
      const files = await filesAt(source, 'h/lying');
      expect(files).toMatchObject([
        { path: 'SKILL.md' },
        { path: 'references/a.md', size: 18, kind: 'reference' },
      ]);
      expect(reads()).toEqual(skillFiles);
      expect(Buffer.from((await files[1]?.bytes?.()) ?? []).toString()).toBe('What was promised.');
    });

    it('names no folder in which only the skill file is: its other files are read by the tool', async () => {
      const { source } = await sourceOver(honestServer(), { fetch: 'instructions' });
      await source.refresh();
      const { gateway } = testLibrary({}, { sources: [source] });
      const { entry, files } = await gateway.load({ skill: 'lying' });
      expect(entry).toMatchObject({ folder: 'skill://team/h/lying', remote: true });
      expect(files.map(({ path }) => path)).toEqual(['SKILL.md', 'references/a.md']);
      expect(await gateway.read({ skill: 'lying', path: 'references/a.md' })).toMatchObject({ kind: 'text' });
      const honest = await gateway.load({ skill: 'honest' });
      expect(honest.entry.folder).toMatch(/^\/.*honest$/);
    });

    it('lists every file with its digest, and reads none for that', async () => {
      const { source, asked } = await sourceOver(honestServer(), { fetch: 'instructions' });
      await source.refresh();
      const { gateway } = testLibrary({}, { sources: [source] });
      await gateway.list({ limit: 1 });
      asked.length = 0;
      const found = (await gateway.publishableAt('skill://lying'))!;
      const published = await new SkillPublisher(() => {}).publish(found);
      expect(published).toMatchObject({
        files: [
          {},
          {
            uri: 'skill://lying/references/a.md',
            size: 18,
            digest: `sha256:${hashBytes(Buffer.from('What was promised.'))}`,
          },
        ],
      });
      expect(asked).toEqual([]);
      const read = await gateway.read({ skill: 'h/lying', path: 'references/a.md' });
      expect(read).toMatchObject({ kind: 'text', slice: { text: 'What was promised.' } });
    });

    it('gives no bytes that differ from what the list promised', async () => {
      const { source } = await sourceOver(lyingServer(), { fetch: 'instructions' });
      await source.refresh();
      const [, file] = await filesAt(source, 'h/lying');
      expect(await file?.bytes?.()).toBeNull();
    });
  });

  describe('that fetches the list only', () => {
    it('finds a skill by its name and description, and reads nothing before it is loaded', async () => {
      const { source, asked } = await sourceOver(lyingServer(), { fetch: 'list' });
      await source.refresh();
      const { gateway, find, library } = testLibrary({}, { sources: [source] });
      expect(await find('About honest')).toContain('h/honest');
      const reads = () => asked.filter((request) => /^resources\/read|^skills\/get/.test(request));
      const [found] = (await source.scan()).folders;
      expect((await source.filesOf(found!.folder)).map(({ path }) => path)).toEqual(['SKILL.md']);
      const { digest, size } = (
        (await lyingServer().answer('skills/list', {})) as {
          skills: { resources: { digest: string; size: number }[] }[];
        }
      ).skills[0]!.resources[0]!;
      const publisher = new SkillPublisher(() => {});
      const honest =
        (await gateway.publishableAt('skill://library/h/honest')) ??
        (await gateway.publishableAt('skill://honest'))!;
      expect(await publisher.publish(honest)).toMatchObject({ files: [{ digest, size }] });
      expect(reads()).toEqual([]);
      const { instructions } = await gateway.load({ skill: 'h/honest' });
      expect(instructions.text).toBe('Do honest.');
      expect(reads()).toEqual(['resources/read skill://h/honest/SKILL.md']);
      expect(hashBytes(await bytesServed(honest, 'SKILL.md'))).toBe(digest.slice('sha256:'.length));
      expect((await library.update()).diagnostics).toEqual([]);
    });

    it('loads no skill whose skill file differs from what the list promised', async () => {
      const honest = lyingServer();
      const { source } = await sourceOver(
        {
          ...honest,
          answer: async (method, params) =>
            method === 'resources/read'
              ? {
                  contents: [
                    { uri: params.uri, text: '---\nname: honest\ndescription: Other.\n---\nEvil.\n' },
                  ],
                }
              : honest.answer(method, params),
        },
        { fetch: 'list' },
      );
      await source.refresh();
      const { gateway } = testLibrary({}, { sources: [source] });
      await expect(gateway.load({ skill: 'h/honest' })).rejects.toThrow(
        'does not give SKILL.md as it listed it',
      );
    });
  });

  describe('over a server with a skill in the folder of another', () => {
    const texts: Record<string, string> = {
      'skill://h/outer/SKILL.md': '---\nname: outer\ndescription: Outer.\n---\nO\n',
      'skill://h/outer/top.md': 'top',
      'skill://h/outer/inner/SKILL.md': '---\nname: inner\ndescription: Inner.\n---\nI\n',
      'skill://h/outer/inner/data.md': 'data',
    };
    const entryOf = (name: string, below: string) => ({
      uri: `skill://h/${below}/SKILL.md`,
      frontmatter: { name, description: `${name === 'outer' ? 'Outer' : 'Inner'}.` },
      resources: Object.entries(texts)
        .filter(([uri]) => uri.startsWith(`skill://h/${below}/`))
        .map(([uri, text]) => ({ uri, size: text.length, digest: `sha256:${hashBytes(Buffer.from(text))}` })),
    });
    const outer = entryOf('outer', 'outer');
    const inner = entryOf('inner', 'outer/inner');
    const serverOf = (skills: { uri: string; resources: unknown }[]): HostileServer => ({
      ...lyingServer(),
      answer: (method, { uri }) =>
        method === 'skills/list'
          ? { skills }
          : method === 'skills/get'
            ? { skill: skills.find((skill) => skill.uri === uri) }
            : method === 'resources/read'
              ? { contents: [{ uri, text: texts[String(uri)] }] }
              : method === 'resources/directory/read'
                ? { resources: Object.keys(texts).map((file) => ({ uri: file, name: file })) }
                : undefined,
    });
    const cases = [
      ['whose list has both', [inner, outer]],
      ['whose list has the outer one only', [outer]],
      ['whose list has neither’s files', [{ ...outer, resources: 'dynamic' }]],
    ] as const;
    for (const [what, skills] of cases)
      for (const fetch of ['list', 'instructions', 'all'] as const)
        it(`${what} takes both as skills with their own files, with fetch: ${fetch}`, async () => {
          const { source } = await sourceOver(serverOf([...skills]), { fetch });
          for (const _ of ['fetched', 'kept']) {
            await source.refresh();
            expect(source.status().failure).toBeNull();
            const { folders, diagnostics } = await source.scan();
            const isAhead = fetch === 'list' && skills.length === 1;
            expect(diagnostics.map(({ id }) => id)).toEqual(isAhead ? ['skill-read-ahead'] : []);
            const files = await Promise.all(folders.map(async ({ folder }) => source.filesOf(folder)));
            expect(files.map((each) => each.map(({ path }) => path))).toEqual([
              ['SKILL.md', 'top.md'],
              ['SKILL.md', 'data.md'],
            ]);
            const data = files[1]!.find(({ path }) => path === 'data.md')!;
            if (data.bytes !== undefined) expect(Buffer.from((await data.bytes())!).toString()).toBe('data');
          }
          const { gateway } = testLibrary({}, { sources: [source] });
          const { instructions } = await gateway.load({ skill: 'h/outer/inner' });
          expect(instructions.text).toBe('I');
        });
  });

  it('refuses a private address, and says how to allow it', async () => {
    const source = mcpSource({ ...fetchOptions(plant({})), url: 'https://127.0.0.1:1/mcp' });
    endWithTest(() => source.close());
    expect(await source.refresh()).toBe(false);
    expect(source.status().failure).toContain('allowPrivate');
  });
});
