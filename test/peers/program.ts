/**
 * The peers as a program on stdin and stdout: `program.ts KIND [SKILLS]`. SKILLS names a JSON file of skills by path,
 * read at the start; where it is missing, those in `skills.ts` are served.
 */

import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { StdioServerTransport as OlderTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { catalogServer, draftAServer, draftBServer, resourcesServer } from './honest.ts';
import {
  dyingServer,
  endlessServer,
  escapingServer,
  type HostileServer,
  hugeServer,
  lyingServer,
  nonsenseServer,
  replyOf,
  silentServer,
} from './hostile.ts';
import { PEER_SKILLS } from './skills.ts';

const [, , kind = '', file = ''] = process.argv;
const skills: Record<string, string> = existsSync(file)
  ? JSON.parse(readFileSync(file, 'utf8'))
  : PEER_SKILLS;

const HOSTILE: Readonly<Record<string, () => HostileServer>> = {
  lying: lyingServer,
  escaping: escapingServer,
  'endless-same': () => endlessServer('same'),
  'endless-new': () => endlessServer('new'),
  nonsense: nonsenseServer,
  dying: () => dyingServer(() => process.exit(9)),
  silent: silentServer,
  huge: () => hugeServer(40_000_000),
};

async function answerLines(server: HostileServer): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    replyOf(server, JSON.parse(line)).then((reply) => reply !== null && process.stdout.write(`${reply}\n`));
  }
}

const hostile = HOSTILE[kind];
if (hostile !== undefined) await answerLines(hostile());
else if (kind === 'catalog') serveStdio(() => catalogServer(skills));
else if (kind === 'resources') serveStdio(() => resourcesServer(skills));
else if (kind === 'draft-a') await draftAServer(skills).connect(new OlderTransport());
else if (kind === 'draft-b') await draftBServer(skills).connect(new OlderTransport());
else if (kind === 'garbage') {
  const noise = () =>
    process.stdout.write(`${'{"jsonrpc": nonsense '.repeat(3_000)}\n`, () => setImmediate(noise));
  noise();
} else if (kind === 'stderr') {
  const noise = () =>
    process.stderr.write('A secret word: opensesame. '.repeat(2_000), () => setImmediate(noise));
  noise();
  serveStdio(() => catalogServer(skills));
} else {
  console.error(`There is no peer ${kind}; token=${process.env.TOKEN}`);
  process.exit(2);
}
