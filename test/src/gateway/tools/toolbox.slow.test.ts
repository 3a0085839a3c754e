import { describe, expect, it } from 'vitest';
import { LOCAL } from '../../../../src/gateway/policy/principal.ts';
import { Toolbox, type ToolboxOptions, type Upstream } from '../../../../src/gateway/tools/toolbox.ts';
import type { ListedTool, UpstreamCall } from '../../../../src/sources/upstream.ts';
import { UpstreamError } from '../../../../src/sources/upstream.ts';

const tool = (name: string, more: Partial<ListedTool> = {}): ListedTool => ({
  name,
  description: `About ${name}.`,
  inputSchema: { type: 'object' },
  ...more,
});

/** A server that answers a call with its arguments. */
function upstream(name: string, tools: readonly string[], more: Partial<Upstream['tools']> = {}) {
  const calls: UpstreamCall[] = [];
  const made: Upstream = {
    name,
    tools: {
      list: async () => tools.map((each) => tool(each)),
      async call(call) {
        calls.push(call);
        return {
          content: [{ type: 'text', text: `${name} ${call.name} ${JSON.stringify(call.arguments)}` }],
        };
      },
      ...more,
    },
  };
  return { ...made, calls };
}

const box = (upstreams: readonly Upstream[], more: Partial<ToolboxOptions> = {}) =>
  new Toolbox({
    upstreams,
    gate: 'loaded',
    timeoutMs: 1_000,
    maxResultBytes: 1_000,
    mayUse: () => true,
    now: () => 0,
    ...more,
  });

const skill = (mcpTools: readonly string[], source = 'git', allowedTools: readonly string[] = []) => ({
  id: 'skill',
  source,
  mcpTools,
  allowedTools,
});
const request = (server: string, name: string) => ({ server, tool: name, arguments: { cone: 6 } });
const refused = { code: 'TOOL_REFUSED' };

describe('tools that no skill names', () => {
  it('are listed by server, without those that a skill names in any form', async () => {
    const toolbox = box([upstream('a', ['fire', 'cool', 'mix_it']), upstream('b', ['fire', 'stir'])]);
    const entries = [skill(['fire']), skill([], 'git', ['mcp__a__cool', 'Bash(git:*)']), skill(['b/stir'])];
    expect(await toolbox.unnamed(entries)).toEqual(['a/mix_it']);
    expect(await toolbox.unnamed([])).toHaveLength(5);
    expect(await box([]).unnamed(entries)).toEqual([]);
  });
});

describe('tools that a skill names', () => {
  it('are never uncovered where they are this server’s own', async () => {
    const own = new Set(['search_skills']);
    const entry = skill(['search_skills', 'kiln_start'], 'git', ['mcp__skillgate__search_skills']);
    expect((await box([], { own }).load(entry, LOCAL)).uncovered).toEqual(['kiln_start']);
  });

  const [a, b] = [upstream('a', ['fire', 'cool']), upstream('b', ['fire', 'mix'])];
  const namesOf = async (toolbox: Toolbox, entry: ReturnType<typeof skill>) =>
    (await toolbox.load(entry, LOCAL)).tools?.tools.map((each) => `${each.server}/${each.tool}`);

  it('are the skill’s own server’s where that has them, else every server’s', async () => {
    expect(await namesOf(box([a, b]), skill(['fire'], 'b'))).toEqual(['b/fire']);
    expect(await namesOf(box([a, b]), skill(['fire'], 'git'))).toEqual(['a/fire', 'b/fire']);
    expect(await namesOf(box([a, b]), skill(['mix'], 'a'))).toEqual(['b/mix']);
  });

  it('are one server’s where the skill says which', async () => {
    expect(await namesOf(box([a, b]), skill(['a/fire']))).toEqual(['a/fire']);
    expect(await namesOf(box([a, b]), skill([], 'git', ['mcp__b__fire', 'Read']))).toEqual(['b/fire']);
    expect(await namesOf(box([a, b]), skill([], 'git', ['mcp__b__*']))).toEqual(['b/fire', 'b/mix']);
    const written = skill([], 'git', ['mcp__My_Server__fire']);
    expect(
      await namesOf(box([upstream('my-server', ['fire']), upstream('myserver', ['fire'])]), written),
    ).toEqual(['my-server/fire']);
    expect(await namesOf(box([upstream('a', ['a/fire', 'fire'])]), skill(['a/fire', 'a/fire']))).toEqual([
      'a/a/fire',
      'a/fire',
    ]);
  });

  it('come with what the server says of them', async () => {
    const annotated = upstream('c', [], {
      list: async () => [tool('fire', { title: 'Fire', annotations: { readOnlyHint: true } })],
    });
    expect((await box([annotated]).load(skill(['fire']), LOCAL)).tools).toEqual({
      callable: true,
      tools: [
        {
          server: 'c',
          tool: 'fire',
          title: 'Fire',
          description: 'About fire.',
          inputSchema: { type: 'object' },
          annotations: { readOnlyHint: true },
        },
      ],
      unlisted: 0,
      unavailable: [],
    });
  });

  it('are absent where no server has one, and where the policy hides them', async () => {
    expect(await box([a]).load(skill(['nothing']), LOCAL)).toEqual({ uncovered: ['nothing'] });
    expect(await box([]).load(skill(['fire']), LOCAL)).toEqual({ uncovered: ['fire'] });
    expect(await box([a]).load(skill([], 'git', ['Read', '*', 'Bash(fire)']), LOCAL)).toEqual({});
    const hiding = box([a, b], { mayUse: (_, server) => server === 'b' });
    expect(await namesOf(hiding, skill(['fire']))).toEqual(['b/fire']);
    expect(await box([a], { mayUse: () => false }).load(skill(['fire']), LOCAL)).toEqual({
      uncovered: ['fire'],
    });
  });

  it('are uncovered where an MCP tool is offered by nobody; a host’s own tools never are', async () => {
    const entry = skill(['fire', 'glaze'], 'git', ['Read', 'Bash(git:*)', 'mcp__a__cool', 'mcp__c__dry']);
    expect((await box([a, b]).load(entry, LOCAL)).uncovered).toEqual(['glaze', 'mcp__c__dry']);
  });

  it('name the server that would have them and does not answer', async () => {
    const silent = upstream('silent', [], { list: () => new Promise(() => {}) });
    const failing = upstream('failing', [], { list: () => Promise.reject(new Error('down')) });
    const { tools } = await box([silent, failing, a]).load(skill(['fire'], 'failing'), LOCAL);
    expect(tools).toMatchObject({ tools: [{ server: 'a' }], unavailable: ['failing'] });
    const unanswered = await box([silent]).load(skill(['silent/fire']), LOCAL);
    expect(unanswered).toMatchObject({ tools: { unavailable: ['silent'] } });
    // Nobody knows yet what the silent server offers.
    expect(unanswered).not.toHaveProperty('uncovered');
  });

  it('are fifty at most; the rest is counted', async () => {
    const many = upstream(
      'many',
      Array.from({ length: 60 }, (_, at) => `tool-${at}`),
    );
    const { tools } = await box([many]).load(skill(['mcp__many__*']), LOCAL);
    expect(tools).toMatchObject({ unlisted: 10 });
    expect(tools?.tools).toHaveLength(50);
  });
});

describe('use', () => {
  it('passes the call on, and the result back', async () => {
    const a = upstream('a', ['fire']);
    const toolbox = box([a], { gate: 'all' });
    expect(await toolbox.use(request('a', 'fire'), LOCAL)).toEqual({
      content: [{ type: 'text', text: 'a fire {"cone":6}' }],
    });
    expect(a.calls).toMatchObject([{ name: 'fire', arguments: { cone: 6 }, timeoutMs: 1_000 }]);
  });

  it('refuses all calls with the gate off, and unknown tools', async () => {
    const a = upstream('a', ['fire']);
    const off = box([a], { gate: 'off' });
    await off.load(skill(['fire']), LOCAL);
    await expect(off.use(request('a', 'fire'), LOCAL)).rejects.toMatchObject(refused);
    await expect(box([a], { gate: 'all' }).use(request('b', 'fire'), LOCAL)).rejects.toMatchObject(refused);
    expect(a.calls).toEqual([]);
  });

  it('calls with the gate `loaded` only tools named by a skill that the same principal loaded', async () => {
    const a = upstream('a', ['fire', 'cool']);
    const toolbox = box([a]);
    await expect(toolbox.use(request('a', 'fire'), LOCAL)).rejects.toMatchObject(refused);
    await toolbox.load(skill(['fire']), LOCAL);
    await expect(toolbox.use(request('a', 'fire'), LOCAL)).resolves.toHaveProperty('content');
    await expect(toolbox.use(request('a', 'cool'), LOCAL)).rejects.toMatchObject(refused);
    await expect(toolbox.use(request('a', 'fire'), { id: 'bob', scopes: [] })).rejects.toMatchObject(refused);
  });

  it('calls another server’s tool of that name only where the skill’s own server has none', async () => {
    const [a, b] = [upstream('a', ['fire']), upstream('b', ['fire', 'mix'])];
    const toolbox = box([a, b]);
    await toolbox.load(skill(['fire', 'mix'], 'a'), LOCAL);
    await expect(toolbox.use(request('a', 'fire'), LOCAL)).resolves.toHaveProperty('content');
    await expect(toolbox.use(request('b', 'fire'), LOCAL)).rejects.toMatchObject(refused);
    await expect(toolbox.use(request('b', 'mix'), LOCAL)).resolves.toHaveProperty('content');
  });

  it('still calls a tool whose server was away when the skill was loaded', async () => {
    let up = false;
    const late = upstream('late', [], {
      list: async () => (up ? [tool('fire')] : Promise.reject(new Error('down'))),
    });
    const toolbox = box([late]);
    await toolbox.load(skill(['fire'], 'late'), LOCAL);
    up = true;
    await expect(toolbox.use(request('late', 'fire'), LOCAL)).resolves.toHaveProperty('content');
  });

  it('refuses missing, unloaded and forbidden tools with the same message', async () => {
    const answersOf = async (toolbox: Toolbox) =>
      toolbox
        .use(request('a', 'fire'), LOCAL)
        .catch((error: Error) => JSON.stringify({ ...error, message: error.message }));
    const absent = await answersOf(box([]));
    expect(await answersOf(box([upstream('a', ['fire'])]))).toBe(absent);
    const forbidding = box([upstream('a', ['fire'])], { mayUse: () => false });
    await forbidding.load(skill(['fire']), LOCAL);
    expect(await answersOf(forbidding)).toBe(absent);
  });

  it('refuses a result that is too large and says that the call was carried out', async () => {
    const a = upstream('a', ['fire'], {
      call: async () => ({ content: [{ type: 'text', text: 'x'.repeat(2_000) }] }),
    });
    await expect(box([a], { gate: 'all' }).use(request('a', 'fire'), LOCAL)).rejects.toMatchObject({
      code: 'TOOL_RESULT_TOO_LARGE',
      message: expect.stringContaining('was carried out'),
      data: { limit: 1_000 },
    });
  });

  it.each([
    ['UPSTREAM_UNREACHABLE', 'nothing was called'],
    ['UPSTREAM_GONE', 'not known'],
    ['UPSTREAM_SLOW', 'within 1000 ms'],
  ] as const)('tells of %s whether the call may have been carried out', async (code, said) => {
    const a = upstream('a', ['fire'], { call: () => Promise.reject(new UpstreamError(code, 'It is away.')) });
    await expect(box([a], { gate: 'all' }).use(request('a', 'fire'), LOCAL)).rejects.toMatchObject({
      code: 'UPSTREAM_FAILED',
      message: expect.stringContaining(said),
      data: { reason: code },
    });
  });

  it('keeps the shape of the server’s own error', async () => {
    const data = { code: -32_602, message: 'No such tool', data: { hint: 'look' } };
    const a = upstream('a', ['fire'], {
      call: () =>
        Promise.reject(
          new UpstreamError('UPSTREAM_REFUSED', 'It refused (-32602): No such tool.', { data: data }),
        ),
    });
    await expect(box([a], { gate: 'all' }).use(request('a', 'fire'), LOCAL)).rejects.toMatchObject({
      data: { upstream: data },
    });
  });
});
