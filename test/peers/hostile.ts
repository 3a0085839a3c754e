/** Servers that each violate the protocol in one way. They answer raw messages, without the SDK. */

import { digestOf, UPSTREAM_SKILLS } from './skills.ts';

export interface Message {
  readonly id?: string | number | undefined;
  readonly method?: string;
  readonly params?: Record<string, unknown> | undefined;
}

export interface HostileServer {
  readonly capabilities: object;
  /** The result of a method; undefined means that the method is unknown. */
  answer: (method: string, params: Record<string, unknown>) => unknown;
}

const EXTENSION = {
  resources: {},
  extensions: { 'io.modelcontextprotocol/skills': { directoryRead: true } },
};

const entryOf = async (root: string, files: Readonly<Record<string, string>>, name: string) => ({
  uri: `${root}/SKILL.md`,
  frontmatter: { name, description: `About ${name}.` },
  resources: await Promise.all(
    Object.entries(files).map(async ([path, text]) => ({
      uri: `${root}/${path}`,
      digest: await digestOf(text),
      size: Buffer.byteLength(text),
    })),
  ),
});

const text = (name: string) => `---\nname: ${name}\ndescription: About ${name}.\n---\nDo ${name}.\n`;
const contents = (uri: unknown, body: string) => ({ contents: [{ uri, text: body }] });

/** The answer to a message as JSON-RPC, of the revision before 2026-07-28; null for a notification. */
export async function replyOf(
  server: HostileServer,
  { id, method = '', params = {} }: Message,
): Promise<string | null> {
  if (id === undefined) return null;
  const greeting = {
    protocolVersion: '2025-11-25',
    capabilities: server.capabilities,
    serverInfo: { name: 'hostile', version: '1' },
  };
  const result = method === 'initialize' ? greeting : await server.answer(method, params);
  return JSON.stringify(
    result === undefined
      ? { jsonrpc: '2.0', id, error: { code: -32_601, message: 'Method not found' } }
      : { jsonrpc: '2.0', id, result },
  );
}

/** One honest skill, and one whose reference does not match its digest. */
export function lyingServer(): HostileServer {
  return {
    capabilities: EXTENSION,
    async answer(method, { uri }) {
      const honest = { 'SKILL.md': text('honest') };
      const lying = { 'SKILL.md': text('lying'), 'references/a.md': 'What was promised.' };
      const entries = [
        await entryOf('skill://h/honest', honest, 'honest'),
        await entryOf('skill://h/lying', lying, 'lying'),
      ];
      if (method === 'skills/list') return { skills: entries };
      if (method === 'skills/get') return { skill: entries.find((entry) => entry.uri === uri) };
      if (method !== 'resources/read') return undefined;
      if (uri === 'skill://h/honest/SKILL.md') return contents(uri, honest['SKILL.md']);
      if (uri === 'skill://h/lying/SKILL.md') return contents(uri, lying['SKILL.md']);
      return contents(uri, 'What is sent!!!!!!');
    },
  };
}

/** Names that lead elsewhere, in every form that a list allows; one skill is honest. */
export function escapingServer(): HostileServer {
  const files: Readonly<Record<string, string>> = {
    'skill://h/honest/SKILL.md': text('honest'),
    'skill://h/../../evil/SKILL.md': text('evil'),
    'skill://h/up/SKILL.md': text('up'),
    'skill://h/up/..%2f..%2fescaped.md': 'escaped',
    'skill://h/drive/SKILL.md': text('drive'),
    'skill://h/drive/c:%5cwindows%5cx.md': 'escaped',
    'skill://h/%zz/SKILL.md': text('zz'),
    'skill://h/nul/SKILL.md': text('nul'),
    'skill://h/nul/a%00b.md': 'escaped',
  };
  return {
    capabilities: { resources: {} },
    answer(method, { uri }) {
      if (method === 'resources/list')
        return { resources: Object.keys(files).map((each) => ({ uri: each, name: each })) };
      if (method === 'resources/read') return contents(uri, files[String(uri)] ?? '');
      return undefined;
    },
  };
}

/** Endless pages: each with a new cursor, or always the same one. */
export function endlessServer(cursor: 'same' | 'new'): HostileServer {
  let page = 0;
  return {
    capabilities: EXTENSION,
    answer(method) {
      page += 1;
      return method === 'skills/list'
        ? { skills: [], nextCursor: cursor === 'same' ? 'again' : `page ${page}` }
        : undefined;
    },
  };
}

/** The fields exist, but with invalid values. */
export function nonsenseServer(): HostileServer {
  return {
    capabilities: EXTENSION,
    answer: (method) =>
      method === 'skills/list'
        ? {
            skills: [
              null,
              7,
              { uri: 'skill://h/x/SKILL.md' },
              { uri: {} },
              { uri: 'nonsense', resources: 'all' },
            ],
          }
        : { contents: 'none' },
  };
}

/** Lists a skill, and exits when it is read. */
export function dyingServer(die: () => void): HostileServer {
  return {
    capabilities: EXTENSION,
    async answer(method) {
      if (method === 'skills/list')
        return {
          skills: [
            await entryOf('skill://h/kiln', { 'SKILL.md': UPSTREAM_SKILLS['kiln/SKILL.md'] ?? '' }, 'kiln'),
          ],
        };
      die();
      return new Promise(() => {});
    },
  };
}

/** Never answers after the handshake. */
export const silentServer = (): HostileServer => ({
  capabilities: EXTENSION,
  answer: () => new Promise(() => {}),
});

/** A skill of any size. */
export function hugeServer(bytes: number): HostileServer {
  return {
    capabilities: { resources: {} },
    answer(method, { uri }) {
      if (method === 'resources/list')
        return { resources: [{ uri: 'skill://h/huge/SKILL.md', name: 'huge' }] };
      return contents(uri, `${text('huge')}${'x'.repeat(bytes)}`);
    },
  };
}
