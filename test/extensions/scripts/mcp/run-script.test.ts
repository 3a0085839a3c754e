/** run_script, execute and skills/execute over scripts that run nothing: requests and answers. */

import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { EXTENSIONS } from '../../../../extensions/extensions.ts';
import { profileNamed } from '../../../../src/app/server-tools.ts';
import { GatewayError } from '../../../../src/gateway/gateway.ts';
import { mcpServerFactory, type ServerOptions } from '../../../../src/mcp/server.ts';
import { fakeGateway, SKILLS } from '../../../src/mcp/fake-gateway.ts';
import { fakeScripts, type OUTCOME } from '../../../src/mcp/fake-scripts.ts';
import { ERAS, type Era, textOf } from '../../../src/mcp/harness.ts';
import { allFeatures, type ProfileName, scriptToolsOver } from '../../../src/mcp/profiles.ts';
import { connectRaw } from '../../../src/mcp/raw.ts';

type Answer = { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, boolean> };

async function connect(
  era: Era,
  { scripts }: ReturnType<typeof fakeScripts>,
  {
    tools = 'search-first',
    answer,
    reaches = false,
    onToolCall = () => {},
  }: {
    readonly tools?: ProfileName;
    readonly answer?: Answer;
    readonly reaches?: boolean;
    readonly onToolCall?: ServerOptions['onToolCall'];
  } = {},
) {
  const questions: string[] = [];
  const gateway = async () => fakeGateway(SKILLS);
  const desk = scriptToolsOver(async () => scripts, reaches);
  const profile = await profileNamed(tools, EXTENSIONS, desk);
  const log = () => {};
  const features = allFeatures(profile, log, { scripts: desk });
  const factory = mcpServerFactory({
    gateway,
    version: '0',
    log,
    profile,
    features,
    onToolCall,
    guideTimeoutMs: 0,
  });
  const [near, far] = InMemoryTransport.createLinkedPair();
  const handle = serveStdio(factory, { transport: far });
  const client = new Client(
    { name: 'test', version: '1' },
    {
      versionNegotiation: { mode: era === 'legacy' ? era : { pin: era } },
      capabilities: answer === undefined ? {} : { elicitation: {} },
    },
  );
  if (answer !== undefined)
    client.setRequestHandler('elicitation/create', ({ params }) => {
      questions.push(params.message);
      return answer;
    });
  await client.connect(near);
  await client.listTools();
  onTestFinished(async () => {
    await client.close();
    await handle.close();
  });
  const call = (args: Record<string, unknown> = {}, name = 'run_script') =>
    client.callTool({ name, arguments: { skill: 'documents/pdf-forms', script: 'fill', ...args } });
  return { client, call, questions, factory };
}

describe('the tools that run scripts', () => {
  // After an intended change: npx vitest run test/extensions/scripts/mcp/run-script.test.ts -u
  it.each<[ProfileName, string]>([
    ['search-first', 'run_script'],
    ['skill-engine', 'execute'],
  ])('of %s have the committed texts and schemas, the same on both eras: %s', async (tools, name) => {
    const [older, newer] = await Promise.all(
      ERAS.map(
        async (era) => (await (await connect(era, fakeScripts('never'), { tools })).client.listTools()).tools,
      ),
    );
    const tool = older?.find((each) => each.name === name);
    expect(newer?.find((each) => each.name === name)).toEqual(tool);
    expect(tool?.annotations).toMatchObject({ readOnlyHint: false });
    await expect(`${JSON.stringify(tool, null, 2)}\n`).toMatchFileSnapshot(
      `../../../golden/tools/scripts/${name}.json`,
    );
  });

  it.each<[ProfileName, string]>([
    ['search-first', 'run_script'],
    ['skill-engine', 'execute'],
  ])('of %s say that they reach the world only where scripts may: %s', async (tools, name) => {
    for (const reaches of [false, true]) {
      const { client } = await connect('legacy', fakeScripts('never'), { tools, reaches });
      const tool = (await client.listTools()).tools.find((each) => each.name === name);
      expect(tool?.annotations).toMatchObject({ destructiveHint: reaches, openWorldHint: reaches });
    }
  });

  it('are not in skills-mcp', async () => {
    const { client } = await connect('legacy', fakeScripts('never'), { tools: 'skills-mcp' });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
      'list_skills',
      'get_skill',
      'read_reference',
    ]);
  });
});

describe.each(ERAS)('run_script on %s', (era) => {
  it('passes arguments on and answers with output, JSON, and readable files', async () => {
    const fake = fakeScripts('never');
    const { call, client } = await connect(era, fake);
    const result = await call({ arguments: '{"a":1}', timeout: '5' });
    expect(fake.asked[0]).toEqual({
      skill: 'documents/pdf-forms',
      script: 'fill',
      input: { kind: 'named', values: { a: 1 } },
      timeoutMs: 5_000,
    });
    expect(fake.callers[0]?.principal.id).toBe('local');
    expect(result.isError).not.toBe(true);
    expect(result.structuredContent).toMatchObject({
      exit_code: 0,
      json: { filled: 2 },
      stdout: '{"filled":2}\n',
    });
    expect(textOf(result)).toContain('scripts/fill.py ended with exit code 0 after 12 ms.');
    expect(result.content.at(-1)).toMatchObject({
      type: 'resource_link',
      uri: 'skill-output://run1/out.txt',
    });
    const read = async (path: string) =>
      (await client.readResource({ uri: `skill-output://run1/${path}` })).contents[0];
    expect(await read('out.txt')).toMatchObject({ text: 'kept', mimeType: 'text/plain' });
    expect(await read('b.bin')).toMatchObject({ blob: '//4=' });
    await expect(read('none')).rejects.toThrow('no such output');
  });

  it('returns failures as results: an exit code, a limit, a refusal', async () => {
    const outcomes: (() => Promise<Partial<typeof OUTCOME>>)[] = [
      async () => ({ exitCode: 3, stderr: 'broken', wanted: ['example.com'] }),
      async () => ({ exitCode: null, signal: 'SIGKILL', killedBy: 'wall-time' }),
      async () => {
        throw new GatewayError('SCRIPTS_BUSY', 'Too many.');
      },
    ];
    const { call } = await connect(
      era,
      fakeScripts('never', () => outcomes.shift()?.() ?? Promise.resolve({})),
    );
    const failed = await call();
    expect(failed).toMatchObject({ isError: true, structuredContent: { exit_code: 3, stderr: 'broken' } });
    expect(textOf(failed)).toContain('stderr:\nbroken');
    expect(textOf(failed)).toContain('it needs example.com, which scripts may not reach here');
    const killed = await call();
    expect(killed).toMatchObject({ isError: true, structuredContent: { killed_by: 'wall-time' } });
    expect(textOf(killed)).toContain('it exceeded its time limit');
    expect(await call()).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'SCRIPTS_BUSY' } },
    });
  });

  it('tells of each call once, also of one that asks the user and of one that fails', async () => {
    const calls: string[] = [];
    const { call } = await connect(era, fakeScripts('always'), {
      answer: { action: 'accept', content: { run: true } },
      onToolCall: ({ tool, outcome }) => calls.push(`${tool} ${outcome}`),
    });
    await call();
    await call({ skill: 'nothing' });
    expect(calls).toEqual(['run_script ok', 'run_script SKILL_UNKNOWN']);
  });

  it('cuts long output and says so', async () => {
    const { call } = await connect(
      era,
      fakeScripts('never', async () => ({ stdout: 'x'.repeat(100_000) })),
    );
    const { structuredContent, content } = await call();
    expect(structuredContent).toMatchObject({ truncated: true });
    expect(JSON.stringify([structuredContent, content]).length).toBeLessThan(70_000);
  });

  it('asks the user first, shows what would run, and runs nothing without consent', async () => {
    const declined: Answer[] = [
      { action: 'decline' },
      { action: 'cancel' },
      { action: 'accept', content: { run: false } },
    ];
    for (const answer of declined) {
      const fake = fakeScripts('when-supported');
      const { call, questions } = await connect(era, fake, { answer });
      expect(await call()).toMatchObject({
        isError: true,
        structuredContent: { error: { code: 'SCRIPT_CANCELLED' } },
      });
      expect(questions[0]).toContain('python3 /skill/scripts/fill.py "$(id)"');
      expect(fake.runs()).toBe(0);
    }
    const fake = fakeScripts('always');
    const { call } = await connect(era, fake, { answer: { action: 'accept', content: { run: true } } });
    expect((await call()).isError).not.toBe(true);
    expect(fake.runs()).toBe(1);
  });

  it('does not ask if the client cannot: runs, or refuses if consent is required', async () => {
    const supported = fakeScripts('when-supported');
    expect((await (await connect(era, supported)).call()).isError).not.toBe(true);
    const always = fakeScripts('always');
    expect(await (await connect(era, always)).call()).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'SCRIPT_REFUSED' } },
    });
    expect([supported.runs(), always.runs()]).toEqual([1, 0]);
  });

  it('reports lines of output as progress, and is cancelled with its call', async () => {
    let ended = false;
    const fake = fakeScripts(
      'never',
      ({ signal, onLine }) =>
        new Promise((resolve) => {
          onLine?.('stdout', 'first');
          signal?.addEventListener('abort', () => {
            ended = true;
            resolve({ exitCode: null, killedBy: 'cancelled' });
          });
        }),
    );
    const { client } = await connect(era, fake);
    const cancel = new AbortController();
    const received: (string | undefined)[] = [];
    const call = client.callTool(
      { name: 'run_script', arguments: { skill: 'documents/pdf-forms', script: 'fill' } },
      {
        signal: cancel.signal,
        onprogress({ message }) {
          received.push(message);
          cancel.abort();
        },
      },
    );
    await expect(call).rejects.toThrow();
    await expect.poll(() => ended).toBe(true);
    expect(received).toEqual(['first']);
  });
});

describe('skills/execute', () => {
  const contentSchema = z.object({
    content: z.array(z.looseObject({ type: z.string() })),
    isError: z.boolean(),
  });
  const execute = async (fake: ReturnType<typeof fakeScripts>, params: Record<string, unknown> = {}) => {
    const { client } = await connect('legacy', fake);
    return client.request(
      { method: 'skills/execute', params: { name: 'documents/pdf-forms', script: 'fill', ...params } },
      contentSchema,
    );
  };

  it('is announced, and answers with the output', async () => {
    const fake = fakeScripts('never');
    // The client drops unknown capabilities.
    const raw = await connectRaw((await connect('legacy', fake)).factory);
    expect(raw.opened.result).toMatchObject({ capabilities: { skills: { scripts: true } } });
    const { content, isError } = await execute(fake, { arguments: { a: 1 } });
    expect(isError).toBe(false);
    expect(content[0]).toEqual({ type: 'text', text: '{"filled":2}\n' });
    expect(fake.asked[0]?.input).toEqual({ kind: 'named', values: { a: 1 } });
  });

  it('is -32003 if the script fails or is refused', async () => {
    const stderr = `${'x'.repeat(5_000)}the end`;
    const failed = fakeScripts('never', async () => ({ exitCode: 3, stdout: 'row 1 is bad', stderr }));
    await expect(execute(failed)).rejects.toMatchObject({
      code: -32003,
      data: {
        name: 'documents/pdf-forms',
        script: 'scripts/fill.py',
        exitCode: 3,
        stdout: 'row 1 is bad',
        stderr: expect.stringMatching(/^x{1993}the end$/),
      },
    });
    await expect(execute(fakeScripts('always'))).rejects.toMatchObject({
      code: -32003,
      data: { name: 'documents/pdf-forms', code: 'SCRIPT_REFUSED' },
    });
    await expect(execute(fakeScripts('never'), { arguments: [1] })).rejects.toMatchObject({ code: -32602 });
  });
});

describe('execute', () => {
  it('answers with the output first, in the tool and in the draft, also where there is none', async () => {
    for (const stdout of ['{"filled":2}\n', '']) {
      const { client, factory } = await connect(
        'legacy',
        fakeScripts('never', async () => ({ stdout })),
        {
          tools: 'skill-engine',
        },
      );
      const { content } = await client.callTool({
        name: 'execute',
        arguments: {
          skill_name: 'documents/pdf-forms',
          tool_name: 'documents/pdf-forms/scripts/fill.py',
          parameters: {},
        },
      });
      expect(content).toMatchObject([
        { type: 'text', text: stdout },
        { text: expect.stringContaining('ended with exit code 0') },
        { type: 'resource_link' },
      ]);
      const raw = await connectRaw(factory);
      const params = { name: 'documents/pdf-forms', script: 'fill', arguments: {} };
      const { result } = await raw.ask('skills/execute', params);
      expect(result?.content).toMatchObject([{ type: 'text', text: stdout }, {}, {}]);
    }
  });
});
