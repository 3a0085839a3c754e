/**
 * Marks suspicious text in every answer of a server: tools, prompts, resources, the Skills extension and both drafts. One
 * interceptor around all request handlers collects what the gateway found while it answered (`gateway/findings.ts`), and
 * puts the warning into the text and the structured part, and the findings into `_meta`.
 *
 * Files of the Skills extension keep the bytes of their digest: their warning is a resource of its own behind them.
 */

import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import { isRecord } from '../base/json.ts';
import { decoded, toJson } from '../base/text.ts';
import { marksOfText, SCANNED_CHARACTERS } from '../gateway/findings.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { type Finding, formatWarning } from '../skills/suspicion.ts';
import type { OpenFor } from './errors.ts';

/** Key of the findings in `_meta`. */
const META = 'skillgate/suspicious';
/** URI of the warning in the answer of `resources/read`. */
const WARNING_URI = 'skillgate:warning';
/** Findings in the structured part of one answer. */
const MAX_FINDINGS = 50;

/** The findings of one request, and the URIs of their skills. */
interface Collected {
  /** Of the JSON-RPC request. */
  readonly id: string | number;
  readonly findings: Map<string, Finding>;
  readonly uris: Map<string, Finding[]>;
}

/**
 * Open requests by the signal that all copies of their contexts share. AsyncLocalStorage would need no context, but slows every
 * promise of the process down: 15 % of a search in Node.js 20 (`bench/TRIED.md`).
 */
const requests = new WeakMap<AbortSignal, Collected>();
/** The request that begins right now, or one of whose calls of the gateway does. */
let current: Collected | undefined;

/** The gateway of a server whose requests are intercepted. Its code is loaded by the first call. */
export const reporting =
  (gateway: () => Promise<Gateway>): OpenFor<Gateway> =>
  async (request) => {
    const collected = request === null ? current : requests.get(request.mcpReq.signal);
    const { reportingGateway } = await import('../gateway/pipeline.ts');
    if (collected === undefined) return gateway();
    const note = (findings: readonly Finding[], uri: string | undefined) => {
      for (const finding of findings)
        collected.findings.set(`${finding.skill} ${finding.id} ${finding.path}:${finding.line}`, finding);
      if (uri !== undefined) collected.uris.set(uri, [...findings]);
    };
    return reportingGateway(await gateway(), note, (_, proceed) => begin(collected, proceed));
  };

/** What runs before the first wait of `work` belongs to the request. */
function begin<Answer>(collected: Collected, work: () => Answer): Answer {
  const outer = current;
  current = collected;
  try {
    return work();
  } finally {
    current = outer;
  }
}

type Handle = (...request: unknown[]) => unknown;

/** Intercepts the handlers that are registered from now on. */
export function interceptHandlers(
  { server }: Pick<McpServer, 'server'>,
  around: (method: string, request: unknown[], handle: Handle) => unknown,
): void {
  const register = server.setRequestHandler.bind(server) as (...given: unknown[]) => void;
  const intercepting = (...given: unknown[]) => {
    const handle = given.pop() as Handle;
    register(...given, (...request: unknown[]) => around(String(given[0]), request, handle));
  };
  // The overloads differ in what a handler is given, which is passed on as it is.
  server.setRequestHandler = intercepting as typeof server.setRequestHandler;
}

export const markAnswers = (server: Pick<McpServer, 'server'>): void =>
  interceptHandlers(server, async (method, request, handle) => {
    // The SDK gives handlers their context last.
    const { id, signal } = (request.at(-1) as ServerContext).mcpReq;
    const collected: Collected = { id, findings: new Map(), uris: new Map() };
    requests.set(signal, collected);
    return marked(method, await begin(collected, () => handle(...request)), collected);
  });

/** The id of the JSON-RPC request one of whose calls begins right now; undefined outside of one. */
export const currentRequestId = () => current?.id;

type Members = Readonly<Record<string, unknown>>;
const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function marked(method: string, result: unknown, collected: Collected): unknown {
  const change = CHANGES[method];
  if (change === undefined || !isRecord(result)) return result;
  if (method !== 'resources/read' && collected.findings.size === 0) return result;
  const changed = change(result, collected);
  if (changed === null) return result;
  const { findings, ...members } = changed;
  return {
    ...result,
    ...members,
    _meta: { ...toMembers(result._meta), [META]: findings.slice(0, MAX_FINDINGS) },
  };
}

/** The changed members of a result and its findings; null where nothing that it delivers was found suspicious. */
type Change = (
  result: Members,
  collected: Collected,
) => (Members & { readonly findings: readonly Finding[] }) | null;

/** For results that deliver all that the gateway gave. */
const whole =
  (change: (result: Members, warning: string, findings: readonly Finding[]) => Members): Change =>
  (result, collected) => {
    const findings = [...collected.findings.values()];
    return { ...change(result, formatWarning(findings), findings.slice(0, MAX_FINDINGS)), findings };
  };

/** For lists: the description of each marked skill begins with its warning. */
const list =
  (name: string): Change =>
  (result, { uris }) => {
    const items = toList(result[name]);
    const found = (item: unknown) => (isRecord(item) && uris.get(String(item.uri))) || [];
    const findings = items.flatMap(found);
    if (findings.length === 0) return null;
    const shown = items.map((item) =>
      found(item).length > 0 && isRecord(item) && 'description' in item
        ? withWarning(item, 'description', formatWarning(found(item)))
        : item,
    );
    return { [name]: shown, findings };
  };

/** How the warning gets into each method's result, and in the drafts the findings too. */
const CHANGES: Readonly<Record<string, Change>> = {
  'tools/call': whole(({ content, structuredContent }, warning) => {
    if (!isRecord(structuredContent))
      return { content: firstMarked(content, (block) => withWarning(block, 'text', warning)) };
    const structured = { warning, ...structuredContent };
    const json = toJson(structuredContent);
    return {
      // Where the text is the structured content, it stays JSON.
      content: firstMarked(content, (block) =>
        block.text === json ? { ...block, text: toJson(structured) } : withWarning(block, 'text', warning),
      ),
      structuredContent: structured,
    };
  }),
  'prompts/get': whole(({ messages }, warning) => ({
    messages: firstMarked(messages, (message) => ({
      ...message,
      content: withWarning(toMembers(message.content), 'text', warning),
    })),
  })),
  'resources/list': list('resources'),
  'resources/read': (result, { findings }) => {
    const contents = toList(result.contents);
    const found = contents.flatMap((item) =>
      isRecord(item) ? findingsIn(item, [...findings.values()]) : [],
    );
    if (found.length === 0) return null;
    const warning = { uri: WARNING_URI, mimeType: 'text/plain', text: formatWarning(found) };
    return { contents: [...contents, warning], findings: found };
  },
  'skills/list': list('skills'),
  'skills/get': whole((result, warning, suspicious) =>
    'instructions' in result ? { ...withWarning(result, 'instructions', warning), suspicious } : {},
  ),
  'skills/read': whole(({ skill }, warning, suspicious) => ({
    skill: { ...withWarning(toMembers(skill), 'instructions', warning), suspicious },
  })),
  'skills/read_reference': whole(({ content }, warning, suspicious) => ({
    content: { ...withWarning(toMembers(content), 'text', warning), suspicious },
  })),
};

const toMembers = (value: unknown): Members => (isRecord(value) ? value : {});

const withWarning = (members: Members, name: string, warning: string): Members =>
  typeof members[name] === 'string' ? { ...members, [name]: `${warning}\n\n${members[name]}` } : members;

/** The gateway's own words come first in every answer. */
const firstMarked = (items: unknown, change: (item: Members) => Members): unknown =>
  toList(items).map((item, at) => (at === 0 && isRecord(item) ? change(item) : item));

/** Known marks of the file, and those of its text as it is delivered: the index has none of scripts and assets. */
function findingsIn({ uri, text }: Members, known: readonly Finding[]): Finding[] {
  if (typeof uri !== 'string' || typeof text !== 'string') return [];
  const path = decoded(uri);
  const own = known.filter((finding) => path.endsWith(finding.path));
  const lines = new Set(own.map(({ id, line }) => `${id} ${line}`));
  const fresh = marksOfText(text.slice(0, SCANNED_CHARACTERS), path.split(/[/=]/).at(-1) ?? path)
    .filter(({ id, line }) => !lines.has(`${id} ${line}`))
    .map((mark) => ({ skill: own[0]?.skill ?? uri, ...mark }));
  return [...own, ...fresh];
}
