/** A scripted model on loopback, in the four protocols that hosts speak. It records each request and answers by a plan. */

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as z from 'zod';

/** What the model sees of a request: the names of the tools it may call, and the results so far. */
interface Turn {
  readonly tools: readonly string[];
  readonly results: readonly string[];
}
/** A call of a tool, or the last words. `code` is for a host whose model calls tools from JavaScript. */
export type Answer =
  | { readonly text: string }
  | { readonly tool: string; readonly args: object; readonly code?: string };

interface Wire {
  readonly path: RegExp;
  read(body: unknown): Turn;
  /** The events of a stream, and the whole for a host that asks for none. */
  write(answer: Answer): { readonly events: readonly object[]; readonly whole: object };
  /** Whether each event begins with its type, and what ends the stream. */
  readonly named?: boolean;
  readonly end?: string;
}

const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value ?? ''));
const named = z.looseObject({ name: z.string() });

const ANTHROPIC: Wire = {
  path: /\/messages$/,
  named: true,
  read(body) {
    const part = z.looseObject({ type: z.string(), content: z.unknown().optional() });
    const { tools, messages } = z
      .object({
        tools: z.array(named).default([]),
        messages: z.array(z.object({ content: z.union([z.string(), z.array(part)]) })),
      })
      .parse(body);
    const parts = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
    return {
      tools: tools.map(({ name }) => name),
      results: parts.filter(({ type }) => type === 'tool_result').map(({ content }) => text(content)),
    };
  },
  write(answer) {
    const isText = 'text' in answer;
    const block = isText
      ? { type: 'text', text: answer.text }
      : { type: 'tool_use', id: `toolu_${Date.now()}`, name: answer.tool, input: answer.args };
    const stop_reason = isText ? 'end_turn' : 'tool_use';
    const usage = { input_tokens: 1, output_tokens: 1 };
    const message = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'scripted',
      stop_sequence: null,
      usage,
    };
    const delta = isText
      ? { type: 'text_delta', text: answer.text }
      : { type: 'input_json_delta', partial_json: JSON.stringify(answer.args) };
    const empty = isText ? { ...block, text: '' } : { ...block, input: {} };
    return {
      whole: { ...message, content: [block], stop_reason },
      events: [
        { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
        { type: 'content_block_start', index: 0, content_block: empty },
        { type: 'content_block_delta', index: 0, delta },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 1 } },
        { type: 'message_stop' },
      ],
    };
  },
};

const RESPONSES: Wire = {
  path: /\/responses$/,
  named: true,
  read(body) {
    const item = z.looseObject({ type: z.string().optional(), output: z.unknown().optional() });
    const tool = z.looseObject({ name: z.string().optional(), tools: z.array(named).default([]) });
    const tools = z.array(tool).default([]);
    const { input, ...request } = z.object({ tools, input: z.array(item) }).parse(body);
    const added = input.filter(({ type }) => type === 'additional_tools');
    const all = [request, ...z.array(z.looseObject({ tools })).parse(added)].flatMap((one) => one.tools);
    return {
      // A namespace holds tools.
      tools: all.flatMap((one) => [one.name ?? [], ...one.tools.map(({ name }) => name)].flat()),
      results: input.filter(({ type = '' }) => type.endsWith('_output')).map(({ output }) => text(output)),
    };
  },
  write(answer) {
    const id = `item_${Date.now()}`;
    const call = { id, call_id: id, status: 'completed' };
    const content = [{ type: 'output_text', text: 'text' in answer ? answer.text : '', annotations: [] }];
    const item =
      'text' in answer
        ? { type: 'message', id, role: 'assistant', status: 'completed', content }
        : answer.code === undefined
          ? { type: 'function_call', ...call, name: answer.tool, arguments: JSON.stringify(answer.args) }
          : { type: 'custom_tool_call', ...call, namespace: 'functions', name: 'exec', input: answer.code };
    const usage = {
      input_tokens: 1,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 1,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 2,
    };
    const whole = {
      id: 'resp_1',
      object: 'response',
      created_at: 1,
      status: 'completed',
      model: 'scripted',
      output: [item],
      usage,
    };
    return {
      whole,
      events: [
        { type: 'response.created', response: { ...whole, status: 'in_progress', output: [], usage: null } },
        { type: 'response.output_item.added', output_index: 0, item },
        { type: 'response.output_item.done', output_index: 0, item },
        { type: 'response.completed', response: whole },
      ].map((event, at) => ({ ...event, sequence_number: at })),
    };
  },
};

const CHAT: Wire = {
  path: /\/chat\/completions$/,
  end: '[DONE]',
  read(body) {
    const { tools, messages } = z
      .object({
        // Other kinds of tools have no function.
        tools: z.array(z.looseObject({ function: named.optional() })).nullish(),
        messages: z.array(z.looseObject({ role: z.string(), content: z.unknown().optional() })),
      })
      .parse(body);
    return {
      tools: (tools ?? []).flatMap((tool) => tool.function?.name ?? []),
      results: messages.filter(({ role }) => role === 'tool').map(({ content }) => text(content)),
    };
  },
  write(answer) {
    const isText = 'text' in answer;
    const call = isText
      ? {}
      : {
          tool_calls: [
            {
              index: 0,
              id: `call_${Date.now()}`,
              type: 'function',
              function: { name: answer.tool, arguments: JSON.stringify(answer.args) },
            },
          ],
        };
    const message = { role: 'assistant', content: isText ? answer.text : null, ...call };
    const finish_reason = isText ? 'stop' : 'tool_calls';
    const base = { id: 'chatcmpl-1', created: 1, model: 'scripted' };
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const chunk = (delta: object, finish: string | null) => ({
      ...base,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
    return {
      whole: { ...base, object: 'chat.completion', choices: [{ index: 0, message, finish_reason }], usage },
      events: [
        chunk(message, null),
        chunk({}, finish_reason),
        { ...base, object: 'chat.completion.chunk', choices: [], usage },
      ],
    };
  },
};

const GEMINI: Wire = {
  path: /:(stream)?generateContent$/i,
  read(body) {
    const part = z.looseObject({ functionResponse: z.looseObject({ response: z.unknown() }).optional() });
    const { tools, contents } = z
      .object({
        tools: z.array(z.looseObject({ functionDeclarations: z.array(named).default([]) })).default([]),
        contents: z.array(z.looseObject({ parts: z.array(part).default([]) })),
      })
      .parse(body);
    return {
      tools: tools.flatMap((tool) => tool.functionDeclarations.map(({ name }) => name)),
      results: contents.flatMap(({ parts }) =>
        parts.flatMap(({ functionResponse }) =>
          functionResponse === undefined ? [] : [text(functionResponse.response)],
        ),
      ),
    };
  },
  write(answer) {
    const part = 'text' in answer ? answer : { functionCall: { name: answer.tool, args: answer.args } };
    const whole = {
      candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    };
    return { whole, events: [whole] };
  },
};

const WIRES = [ANTHROPIC, RESPONSES, CHAT, GEMINI];

export interface Recorded extends Turn {
  readonly body: unknown;
}

/** `decide` answers the requests that offer tools; those without get two words. */
export async function startModel(decide: (turn: Turn) => Answer) {
  const requests: Recorded[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const url = request.url ?? '';
    const path = url.split('?')[0] ?? '';
    const wire = WIRES.find((one) => one.path.test(path));
    if (wire === undefined || request.method !== 'POST') return other(response, path);
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    const turn = wire.read(body);
    if (turn.tools.length > 0) requests.push({ ...turn, body });
    const answer = turn.tools.length > 0 ? decide(turn) : { text: 'Junk mail' };
    const { stream } = z.looseObject({ stream: z.boolean().default(/stream/i.test(path)) }).parse(body);
    const { events, whole } = wire.write(answer);
    if (!stream) return send(response, whole);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of events) {
      const type = wire.named === true && 'type' in event ? `event: ${event.type}\n` : '';
      response.write(`${type}data: ${JSON.stringify(event)}\n\n`);
    }
    response.end(wire.end === undefined ? undefined : `data: ${wire.end}\n\n`);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function send(response: ServerResponse, value: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

/** What hosts also ask: models, and counts of tokens. */
function other(response: ServerResponse, path: string): void {
  if (path.endsWith('/models'))
    send(response, { object: 'list', data: [{ id: 'scripted', object: 'model' }] });
  else if (/count_?tokens$/i.test(path)) send(response, { input_tokens: 1, totalTokens: 1 });
  else send(response, { error: { type: 'not_found', message: `There is no ${path}.` } }, 404);
}
