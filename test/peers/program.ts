/**
 * The test servers as a program on stdin and stdout: `program.ts KIND [SKILLS]`. SKILLS is a JSON file of skills by
 * path, read at the start. Default: the skills of `skills.ts`.
 */

import { existsSync, readFileSync, watchFile } from 'node:fs';
import { createInterface } from 'node:readline';
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
import { UPSTREAM_SKILLS } from './skills.ts';

const [, , kind = '', file = ''] = process.argv;
const skills: Record<string, string> = existsSync(file)
  ? JSON.parse(readFileSync(file, 'utf8'))
  : UPSTREAM_SKILLS;

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

/** Loaded only by those who need it: the SDK takes most of a start. */
const stdio = () => import('@modelcontextprotocol/server/stdio');
const honest = () => import('./honest.ts');

/** Notifies its clients when the file changes. */
async function serveCatalog(): Promise<void> {
  const record = { ...skills };
  const catalog = await (await honest()).catalogOf(record);
  const { serveStdio } = await stdio();
  serveStdio(() => catalog.server());
  if (file === '') return;
  watchFile(file, { interval: 100 }, async () => {
    const next: Record<string, string> = JSON.parse(readFileSync(file, 'utf8'));
    for (const path of Object.keys(record)) delete record[path];
    Object.assign(record, next);
    await catalog.reload();
  });
}

const hostile = HOSTILE[kind];
if (hostile !== undefined) await answerLines(hostile());
else if (kind === 'catalog') await serveCatalog();
else if (kind === 'resources') {
  const { resourcesServer } = await honest();
  (await stdio()).serveStdio(() => resourcesServer(skills));
} else if (kind === 'draft-a' || kind === 'draft-b') {
  const { draftAServer, draftBServer } = await honest();
  const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
  const server = kind === 'draft-a' ? draftAServer(skills) : draftBServer(skills);
  await server.connect(new StdioServerTransport());
} else if (kind === 'garbage') {
  const noise = () =>
    process.stdout.write(`${'{"jsonrpc": nonsense '.repeat(3_000)}\n`, () => setImmediate(noise));
  noise();
} else if (kind === 'stderr') {
  const noise = () =>
    process.stderr.write('A secret word: opensesame. '.repeat(2_000), () => setImmediate(noise));
  noise();
  await serveCatalog();
} else {
  console.error(`There is no peer ${kind}; token=${process.env.TOKEN}`);
  process.exit(2);
}
