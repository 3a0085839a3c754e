/**
 * Promise: a program opens the skills in one line and gets what the command line and MCP clients get, under the same names;
 * the examples for agents work with a scripted model; the package's types need nothing else.
 */

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import express from 'express';
import { fastify } from 'fastify';
import { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type * as library from '../../bin/public.ts';
import { rpc } from '../attacks/http-server.ts';
import { endWithTest } from '../end-with-test.ts';
import { initializeParams } from '../src/mcp/raw.ts';
import { connected } from './client.ts';
import { examples, root, skillFile, workplace } from './command.ts';

const built = (await import(pathToFileURL(join(root, 'dist/public.js')).href)) as typeof library;
const { createSkillgate } = built;

const place = workplace();
let skillgate: library.Skillgate;
let options: { skills: string; index: string };
beforeAll(async () => {
  options = { skills: examples, index: join(place.folder, 'index') };
  skillgate = await createSkillgate(options);
}, 120_000);
afterAll(() => skillgate?.close());

const JUNK = 'our mails land in the junk folder';

describe('createSkillgate', () => {
  it('searches, loads, reads and lists with the field names of the MCP tools', async () => {
    const [near, far] = InMemoryTransport.createLinkedPair();
    const server = skillgate.createMcpServer();
    await server.connect(far);
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(near);
    const ask = async (name: string, args: Record<string, unknown>) =>
      (await client.callTool({ name, arguments: args })).structuredContent as Record<string, unknown>;

    const found = await skillgate.search(JUNK, { top_k: 2, filters: { has_scripts: true } });
    expect(found.hits[0]?.id).toBe('email-deliverability');
    const wire = await ask('search_skills', {
      query: JUNK,
      top_k: 2,
      filters: { has_scripts: true },
      detail: true,
    });
    expect(Object.keys(wire)).toEqual(Object.keys(found));
    const [hit, wireHit] = [found.hits[0], (wire.hits as object[])[0]];
    expect(Object.keys(wireHit ?? {})).toEqual(Object.keys(hit ?? {}));
    // A model gets what fits its budget, a program everything.
    expect(hit?.detail.description.length).toBeGreaterThan(300);

    const loaded = await skillgate.load('email-deliverability', { max_tokens: 200 });
    expect(loaded).toMatchObject({ id: 'email-deliverability', truncated: true });
    expect(await ask('load_skill', { skill: 'email-deliverability', max_tokens: 200 })).toEqual(loaded);

    const [path, lines] = ['references/bounce-codes.md', '1-5'];
    const read = await skillgate.read('email-deliverability', path, { lines });
    expect(read).toMatchObject({ kind: 'text', lines: [1, 5] });
    expect(await ask('read_reference', { skill: 'email-deliverability', path, lines })).toEqual(read);
    const image = await skillgate.read('chart-design-review', 'assets/palette.png');
    expect(image.kind === 'image' && Buffer.from(image.data, 'base64').subarray(1, 4).toString()).toBe('PNG');

    const page = await skillgate.list({ limit: 10 });
    expect(page).toMatchObject({ total: 32, next_cursor: expect.any(String) });
    const wirePage = await ask('list_skills', { limit: 10 });
    expect((wirePage.skills as { id: string }[]).map(({ id }) => id)).toEqual(
      page.skills.map(({ id }) => id),
    );
    expect((await skillgate.list({ cursor: page.next_cursor ?? '', limit: 200 })).skills).toHaveLength(22);
    await client.close();
    await server.close();
  });

  it('rejects with a code for what is wrong', async () => {
    await expect(createSkillgate({ skills: join(place.folder, 'nowhere') })).rejects.toMatchObject({
      code: 'FOLDER_MISSING',
      message: expect.stringContaining('nowhere'),
    });
    await expect(createSkillgate({ config: join(place.folder, 'no.json') })).rejects.toMatchObject({
      code: 'CONFIG_UNREADABLE',
    });
    await expect(skillgate.load('no-such-skill')).rejects.toMatchObject({ code: 'SKILL_UNKNOWN' });
    await expect(skillgate.search('x', { top_k: 99 })).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
    await expect(skillgate.tools('toml' as never)).rejects.toThrow(/toml.*anthropic/);
  });

  it('opens the folders that agents use in the project, and follows changes', async () => {
    place.write('project/.git/HEAD', '');
    place.write('project/.agents/skills/tea/SKILL.md', skillFile('tea', 'Brew green tea'));
    mkdirSync(join(place.folder, 'project/deep/down'), { recursive: true });
    const own = await createSkillgate({
      cwd: join(place.folder, 'project/deep/down'),
      index: join(place.folder, 'own'),
    });
    expect((await own.list()).skills.map(({ id }) => id)).toContain('tea');
    place.write('project/.agents/skills/pot/SKILL.md', skillFile('pot', 'Warm the pot'));
    await expect.poll(async () => (await own.list()).skills.map(({ id }) => id)).toContain('pot');
    await own.close();
  });
});

it('a closed catalog says so, and closing twice does nothing', async () => {
  await using own = await createSkillgate({ skills: examples, index: join(place.folder, 'closed') });
  await own.search(JUNK);
  await own.close();
  await own.close();
  await expect(own.search(JUNK)).rejects.toMatchObject({ code: 'CLOSED' });
  expect(() => own.createMcpServer()).not.toThrow();
});

describe('tools', () => {
  it('have one definition in every format', async () => {
    const names = ['search_skills', 'load_skill', 'read_reference', 'list_skills'];
    const openai = await skillgate.tools('openai');
    const schemas = openai.map(({ function: { parameters } }) => parameters);
    expect(openai.map(({ type, function: { name } }) => [type, name])).toEqual(
      names.map((name) => ['function', name]),
    );
    expect(schemas[0]).toMatchObject({
      type: 'object',
      required: ['query'],
      properties: { top_k: { maximum: 50 } },
    });
    expect((await skillgate.tools('openai-responses')).map(({ parameters }) => parameters)).toEqual(schemas);
    expect((await skillgate.tools('anthropic')).map((tool) => tool.input_schema)).toEqual(schemas);
    expect((await skillgate.tools('langchain')).map(({ schema }) => schema)).toEqual(schemas);
    const aiSdk = await skillgate.tools('ai-sdk');
    expect(Object.keys(aiSdk)).toEqual(names);
    expect(Object.values(aiSdk).map(({ inputSchema }) => inputSchema.jsonSchema)).toEqual(schemas);
    for (const { description } of await skillgate.tools('anthropic'))
      expect(description.length).toBeGreaterThan(40);
    expect(openai[0]?.function.description).toContain('32 Agent Skills');
  });

  it('check arguments as the AI SDK asks them to', async () => {
    const { load_skill } = await skillgate.tools('ai-sdk');
    const schema = load_skill?.inputSchema;
    expect(Reflect.get(schema ?? {}, Symbol.for('vercel.ai.schema'))).toBe(true);
    expect(schema?.validate({ skill: 'csv-cleaning' })).toMatchObject({ success: true });
    expect(schema?.validate({})).toMatchObject({ success: false, error: { code: 'REQUEST_INVALID' } });
    // The types of ai 6 take this form from those who cannot name its symbol.
    expect(schema?.['~standard'].validate({ skill: 'csv-cleaning' })).toEqual({
      value: { skill: 'csv-cleaning' },
    });
    expect(schema?.['~standard'].validate({})).toEqual({
      issues: [{ message: expect.stringContaining('skill') }],
    });
  });

  it('are called with objects or JSON text, and turn failures into results', async () => {
    expect(await skillgate.call('search_skills', `{"query":"${JUNK}","top_k":"1"}`)).toMatchObject({
      is_error: false,
      text: expect.stringContaining('- email-deliverability'),
      structured: { hits: [{ id: 'email-deliverability' }] },
    });
    for (const [tool, args] of [
      ['load_skill', { skill: 'no-such' }],
      ['delete_skill', {}],
    ] as const)
      expect(await skillgate.call(tool, args)).toMatchObject({
        is_error: true,
        structured: { error: { code: expect.any(String), message: expect.any(String) } },
      });
    const { text } = await skillgate.call('search_skills', '{bad');
    expect(text).toMatch(
      /^search_skills: The arguments are not JSON \(.*\)\. Pass an object, or its JSON text\./,
    );
    const { text: other } = await skillgate.call('search_skills', []);
    expect(other).not.toMatch(/search_skills:? search_skills/);
  });
});

describe('createRequestHandler', () => {
  const first = async (client: Client) => {
    const { structuredContent } = await client.callTool({
      name: 'search_skills',
      arguments: { query: JUNK },
    });
    return (structuredContent as { hits: { id: string }[] }).hits[0]?.id;
  };
  const listening = (app: ReturnType<typeof express>) =>
    new Promise<string>((resolve) => {
      const server = app.listen(0, '127.0.0.1', () =>
        resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`),
      );
      endWithTest(() => server.close());
    });

  it.each([
    ['plain', false],
    ['after express.json()', true],
  ])('serves in Express, %s', async (_, parses) => {
    const app = express();
    if (parses) app.use(express.json());
    const handler = skillgate.createRequestHandler();
    app.all('/mcp', handler.node);
    const client = await connected(await listening(app), { mode: 'auto' });
    expect(await first(client)).toBe('email-deliverability');
    await handler.close();
  });

  it('serves in Fastify, which has routes of its own', async () => {
    const app = fastify();
    const handler = skillgate.createRequestHandler();
    app.all('/mcp', (request, reply) => {
      reply.hijack();
      return handler.node(request.raw, reply.raw, request.body);
    });
    app.get('/health', async () => 'up');
    const address = await app.listen({ port: 0, host: '127.0.0.1' });
    const client = await connected(`${address}/mcp`, { mode: 'auto' });
    expect(await first(client)).toBe('email-deliverability');
    expect(await (await fetch(`${address}/health`)).text()).toBe('up');
    const headers = { 'content-type': 'application/json', origin: 'http://skills.example' };
    expect((await fetch(`${address}/mcp`, { method: 'POST', headers, body: '{}' })).status).toBe(403);
    const uri = `skill://${'a/'.repeat(20_000)}`;
    const long = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri } });
    const own = { 'content-type': 'application/json' };
    const refused = await fetch(`${address}/mcp`, { method: 'POST', headers: own, body: long });
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('256')]);
    await handler.close();
    await app.close();
  });

  it('serves in Hono, and refuses pages of other origins', async () => {
    const app = new Hono();
    const handler = skillgate.createRequestHandler({ allowedOrigins: ['https://app.example'] });
    app.all('/mcp', ({ req }) => handler.fetch(req.raw));
    const initialize = (headers: Record<string, string> = {}) =>
      app.request('http://skills.example/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        body: rpc('initialize', initializeParams('2025-06-18')),
      });
    const answer = await initialize();
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('search_skills');
    expect((await initialize({ origin: 'https://app.example' })).status).toBe(200);
    expect((await initialize({ origin: 'http://127.0.0.1:3000' })).status).toBe(200);
    expect((await initialize({ origin: 'http://skills.example' })).status).toBe(403);
    expect((await initialize({ origin: 'null' })).status).toBe(403);
    await handler.close();
  });

  it('asks the program who calls, and answers under the policy', async () => {
    place.write('team/open/tea/SKILL.md', skillFile('tea', 'Brew green tea'));
    place.write('team/closed/plan/SKILL.md', skillFile('plan', 'Plan the merger'));
    const config = place.write(
      'team/skillgate.config.json',
      JSON.stringify({
        sources: ['open', 'closed'].map((name) => ({ kind: 'local', name, root: name })),
        policy: { rules: [{ who: ['ada'], allow: [{ sources: ['open'] }] }], default: 'deny' },
      }),
    );
    const team = await createSkillgate({ config, index: join(place.folder, 'team-index') });
    const app = express();
    const handler = team.createRequestHandler({
      callerOf: (request) => (request.headers.get('x-user') === 'ada' ? { id: 'ada' } : null),
    });
    app.all('/mcp', handler.node);
    const url = await listening(app);
    const client = await connected(url, { mode: 'auto', headers: { 'x-user': 'ada' } });
    const { structuredContent } = await client.callTool({ name: 'list_skills', arguments: {} });
    expect(structuredContent).toMatchObject({ total: 1, skills: [{ id: 'open:tea' }] });
    expect(
      (await fetch(url, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }))
        .status,
    ).toBe(401);
    await team.close();
  });
});

/** A task, and what a model would do: search, load what it found, answer. */
const SCRIPT = [
  { name: 'search_skills', args: { query: JUNK } },
  { name: 'load_skill', args: { skill: 'email-deliverability' } },
] as const;

describe('examples/agents', () => {
  const example = (name: string) =>
    import(pathToFileURL(join(root, 'examples/agents', name)).href) as Promise<
      Record<string, (...args: unknown[]) => Promise<unknown>>
    >;
  /** Texts of the tools that the model saw, in order. */
  const expectFollowed = (seen: readonly string[]) => {
    expect(seen).toHaveLength(2);
    expect(seen[0]).toContain('- email-deliverability');
    expect(seen[1]).toContain('Instructions: lines');
  };

  it('are all run here', () => {
    expect(
      readdirSync(join(root, 'examples/agents'))
        .filter((name) => name.endsWith('.mjs'))
        .sort(),
    ).toEqual([...['ai-sdk.mjs', 'anthropic.mjs', 'langchain.mjs', 'openai.mjs', 'web-server.mjs']]);
  });

  it.each(['ai-sdk.mjs', 'anthropic.mjs', 'langchain.mjs', 'openai.mjs'])(
    '%s says what to install, and takes the name of the model from the environment',
    (name) => {
      const text = readFileSync(join(root, 'examples/agents', name), 'utf8');
      expect(text).toMatch(/npm install skillgate \S+\n.*MODEL=… node /);
      expect(text).not.toMatch(/claude-|gpt-\d|gemini-/);
    },
  );

  it('anthropic.mjs', async () => {
    const seen: string[] = [];
    let turn = 0;
    const create = async ({
      messages,
      tools,
    }: {
      messages: { content: unknown }[];
      tools: { name: string }[];
    }) => {
      const last = messages.at(-1)?.content;
      if (Array.isArray(last)) for (const { content } of last) seen.push(String(content));
      const step = SCRIPT[turn];
      turn += 1;
      expect(tools.map(({ name }) => name)).toContain('search_skills');
      return step === undefined
        ? { content: [{ type: 'text', text: 'Done.' }] }
        : { content: [{ type: 'tool_use', id: `t${turn}`, name: step.name, input: step.args }] };
    };
    const { answer } = await example('anthropic.mjs');
    expect(await answer?.({ messages: { create } }, JUNK, options)).toBe('Done.');
    expectFollowed(seen);
  });

  it('openai.mjs', async () => {
    const seen: string[] = [];
    let turn = 0;
    const create = async ({ messages }: { messages: { role: string; content: string }[] }) => {
      const last = messages.at(-1);
      if (last?.role === 'tool') seen.push(last.content);
      const step = SCRIPT[turn];
      turn += 1;
      const message =
        step === undefined
          ? { role: 'assistant', content: 'Done.' }
          : {
              role: 'assistant',
              content: null,
              tool_calls: [
                {
                  id: `t${turn}`,
                  type: 'function',
                  function: { name: step.name, arguments: JSON.stringify(step.args) },
                },
              ],
            };
      return { choices: [{ message }] };
    };
    const { answer } = await example('openai.mjs');
    expect(await answer?.({ chat: { completions: { create } } }, JUNK, options)).toBe('Done.');
    expectFollowed(seen);
  });

  it('ai-sdk.mjs', async () => {
    const seen: string[] = [];
    // The loop of generateText: validate, execute, go on.
    const generateText = async ({ tools }: { tools: library.ToolsByFormat['ai-sdk'] }) => {
      for (const { name, args } of SCRIPT) {
        const tool = tools[name];
        expect(tool?.inputSchema.validate(args)).toMatchObject({ success: true });
        seen.push((await tool?.execute(args)) ?? '');
      }
      return { text: 'Done.' };
    };
    const { answer } = await example('ai-sdk.mjs');
    const sdk = { generateText, stepCountIs: (steps: number) => steps };
    expect(await answer?.({ sdk, model: 'scripted' }, JUNK, options)).toBe('Done.');
    expectFollowed(seen);
  });

  it('langchain.mjs', async () => {
    const seen: string[] = [];
    let turn = 0;
    const invoke = async (messages: { role?: string; content: string }[]) => {
      const last = messages.at(-1);
      if (last?.role === 'tool') seen.push(last.content);
      const step = SCRIPT[turn];
      turn += 1;
      return step === undefined
        ? { content: 'Done.', tool_calls: [] }
        : { content: '', tool_calls: [{ id: `t${turn}`, name: step.name, args: step.args }] };
    };
    const { answer } = await example('langchain.mjs');
    expect(await answer?.({ bindTools: () => ({ invoke }) }, JUNK, options)).toBe('Done.');
    expectFollowed(seen);
  });

  it('web-server.mjs', async () => {
    const { serve } = await example('web-server.mjs');
    const server = (await serve?.(0, options)) as { address(): AddressInfo; close(): void };
    const origin = `http://127.0.0.1:${server.address().port}`;
    const answer = (await (
      await fetch(`${origin}/search?q=${encodeURIComponent(JUNK)}`)
    ).json()) as library.SearchResult;
    expect(answer.hits[0]?.id).toBe('email-deliverability');
    const client = await connected(`${origin}/mcp`);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('search_skills');
    server.close();
  });
});

describe('the package', () => {
  /** A folder in which a program finds the package, and typescript checks it. */
  function programFolder(name: string): string {
    const folder = join(place.folder, name);
    mkdirSync(join(folder, 'node_modules/skillgate'), { recursive: true });
    for (const path of ['package.json', 'dist'])
      symlinkSync(join(root, path), join(folder, 'node_modules/skillgate', path));
    return folder;
  }

  function typesOf(folder: string, file: string): void {
    const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--types', ''];
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    execFileSync(process.execPath, [tsc, ...flags, '--lib', 'es2023,dom', join(folder, file)], {
      cwd: folder,
      stdio: 'pipe',
    });
  }

  it.each([
    ['createSkillgate', 'bin/public.ts', /Email|deliverab/i],
    ['parseSkill', 'src/skills/parse.ts', /^tea Brews tea\. 0$/m],
  ])('shows an example of %s that type-checks and runs', (name, source, printed) => {
    const text = readFileSync(join(root, source), 'utf8');
    const [, example = ''] =
      new RegExp(`@example\\n((?: \\* .*\\n)+) \\*/\\nexport (?:async )?function ${name}\\(`).exec(text) ??
      [];
    expect(example).toContain(name);
    const folder = programFolder(`example-${name}`);
    symlinkSync(examples, join(folder, 'skills'));
    const program = `import { ${name} } from 'skillgate';\n${example.replaceAll(/^ \* /gm, '')}export {};\n`;
    writeFileSync(join(folder, 'example.mts'), program);
    typesOf(folder, 'example.mts');
    // Without types it is JavaScript.
    writeFileSync(join(folder, 'example.mjs'), program);
    const env = { ...process.env, ...place.environment };
    expect(execFileSync(process.execPath, ['example.mjs'], { cwd: folder, env, encoding: 'utf8' })).toMatch(
      printed,
    );
  });

  it('types a program that has no other package', () => {
    const folder = programFolder('typed');
    writeFileSync(
      join(folder, 'program.mts'),
      `import { createSkillgate, GatewayError, parseSkill, type SearchHit } from 'skillgate';
const skillgate = await createSkillgate({ skills: './skills' });
const { hits, next_cursor } = await skillgate.search('task', { top_k: 3 });
const best: SearchHit | undefined = hits[0];
const tools = await skillgate.tools('anthropic');
const name: string | undefined = tools[0]?.input_schema.type;
const cursor: string | undefined = next_cursor;
// @ts-expect-error: there is no such field.
const wrong = best?.nope;
export { best, cursor, GatewayError, name, parseSkill, wrong };
`,
    );
    typesOf(folder, 'program.mts');
  });
});
