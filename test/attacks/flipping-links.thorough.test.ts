/**
 * Attack: who may write into a source exchanges files and folders of a skill with links to files of the machine, while
 * the skill is indexed, loaded and read. Promise: nothing but the skill's own files is ever served.
 */

import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { connected } from '../acceptance/client.ts';
import { freshWorkplace, skillFile } from '../acceptance/command.ts';
import { newToken, serveHttp } from '../acceptance/http-server.ts';
import { post } from '../src/serve/stdio/ask.ts';
import { type Flip, startFlipping } from './flipping.ts';

/** Stands in each file outside, and in the server's environment. */
const SECRET = 'quokka-7f3a9c';
/** An attack lasts so long, ms, and on a busy machine until both states were met, or at most so long. */
const ATTACK_MS = [2_500, 90_000] as const;
const TEST_MS = 150_000;
const AT_A_TIME = 4;

const place = freshWorkplace();

beforeEach(() => {
  place.write('skills/demo/SKILL.md', skillFile('demo', 'Show a demonstration', 'Own words.\n'));
  place.write('skills/demo/references/x.md', OWN_FILE);
  place.write('skills/demo/deep/er/y.md', 'Own words of y.\n');
  place.write('skills/other/SKILL.md', skillFile('other', 'Do something else', 'Own words.\n'));
  place.write('outside/secret.md', `${SECRET}\n`);
  place.write('outside/SKILL.md', skillFile('other', SECRET, `${SECRET}\n`));
  place.write('outside/er/y.md', `${SECRET}\n`);
  place.write('outside/references/x.md', `${SECRET}\n`);
});

/** The content of the file that is exchanged, and its digest as it is written. */
const OWN_FILE = 'Own words of x.\n';
const digest = (text: string) => createHash('sha256').update(text).digest('hex');

const at = (path: string) => join(place.folder, path);

interface Attack {
  readonly flip: () => Flip;
  /** The call that reads what is exchanged. */
  readonly call: readonly [tool: string, args: Record<string, unknown>];
}

const ATTACKS = {
  'a file of a skill': {
    flip: () => ({
      path: at('skills/demo/references/x.md'),
      targets: [at('outside/secret.md'), '/proc/self/environ'],
    }),
    call: ['read_reference', { skill: 'demo', path: 'references/x.md' }],
  },
  'a folder of a skill': {
    flip: () => ({ path: at('skills/demo/deep'), targets: [at('outside')] }),
    call: ['read_reference', { skill: 'demo', path: 'deep/er/y.md' }],
  },
  'a skill file': {
    flip: () => ({ path: at('skills/other/SKILL.md'), targets: [at('outside/SKILL.md')] }),
    call: ['load_skill', { skill: 'other' }],
  },
} satisfies Record<string, Attack>;

async function attack(flip: Flip, call: () => Promise<string>, isMet = met) {
  const flipping = startFlipping([flip]);
  const counts = { calls: 0, own: 0, refused: 0, leaks: 0 };
  const started = performance.now();
  const goesOn = () => performance.now() - started < ATTACK_MS[isMet(counts) ? 0 : 1];
  const work = async () => {
    while (goesOn()) {
      const text = await call();
      counts.calls += 1;
      if (text.includes(SECRET) || text.includes(digest(`${SECRET}\n`))) counts.leaks += 1;
      else if (text.includes('Own words') || text.includes(digest(OWN_FILE))) counts.own += 1;
      else counts.refused += 1;
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
  } finally {
    // That both states were met says more; on a quiet machine it is a thousand a second.
    expect(await flipping.end()).toBeGreaterThan(20);
  }
  return counts;
}

const isDemo = (uri: string) => uri.endsWith('/demo/SKILL.md');

/** Whether both states were: else nothing was attacked. */
const met = ({ own, refused }: { own: number; refused: number }) => own > 5 && refused > 5;

function expectHeld(counts: Awaited<ReturnType<typeof attack>>): void {
  expect({ ...counts, met: met(counts) }, 'of reads while links flipped').toEqual({
    ...counts,
    met: true,
    leaks: 0,
  });
}

/** Whether any file of the index holds the secret. */
const inIndex = () =>
  readdirSync(at('index'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .some((entry) => readFileSync(join(entry.parentPath, entry.name)).includes(SECRET));

describe.runIf(process.platform === 'linux')('links that flip under a reader', { timeout: TEST_MS }, () => {
  async function stdio(...source: string[]): Promise<Client> {
    const from = source.length > 0 ? source : ['--skills', at('skills')];
    const server = place.server(...from, '--index', at('index'));
    const env = { ...place.environment, STOLEN: SECRET };
    const client = await connected({ ...server, env });
    await client.callTool({ name: 'load_skill', arguments: { skill: 'demo' } });
    return client;
  }

  it.each(Object.entries(ATTACKS))('lead nowhere over stdio: %s', async (_, { flip, call: [name, args] }) => {
    const client = await stdio();
    const call = async () => JSON.stringify(await client.callTool({ name, arguments: args }));
    expectHeld(await attack(flip(), call));
    const found = await client.callTool({ name: 'search_skills', arguments: { query: 'Do something else' } });
    expect(JSON.stringify(found)).not.toContain(SECRET);
    expect(inIndex()).toBe(false);
  });

  it('lead nowhere as a resource', async () => {
    const client = await stdio();
    const uri = 'skillgate:file?skill=demo&path=references%2Fx.md';
    const call = () => client.readResource({ uri }).then((found) => JSON.stringify(found), String);
    expectHeld(await attack(ATTACKS['a file of a skill'].flip(), call));
  });

  it.each([
    ['a file', 'references/x.md', 'outside/secret.md'],
    ['the folder of a skill', '', 'outside'],
  ])('lead nowhere in the Skills extension, nor do digests: %s', async (_, path, target) => {
    place.write(
      'skillgate.config.json',
      JSON.stringify({ sources: [{ kind: 'local', name: 'skills', root: 'skills', links: 'none' }] }),
    );
    const client = await stdio('--config', at('skillgate.config.json'));
    const ask = (method: string, params: Record<string, unknown>) =>
      client.request({ method, params }, z.looseObject({})).then((answer) => JSON.stringify(answer), String);
    const listed = JSON.parse(await ask('skills/list', {}));
    const uri: string = listed.skills.map((skill: { uri: string }) => skill.uri).find(isDemo);
    const file = uri.replace(/SKILL\.md$/, 'references/x.md');
    const flip = () => ({ path: at(join('skills/demo', path)), targets: [at(target)] });
    expectHeld(await attack(flip(), () => ask('resources/read', { uri: file })));
    // Digests that are known are not read again.
    for (const [method, params] of [
      ['skills/get', { uri }],
      ['skills/list', {}],
    ] as const) {
      const { leaks } = await attack(
        flip(),
        () => ask(method, params),
        ({ own }) => own > 5,
      );
      expect(leaks, method).toBe(0);
    }
    const args = { skill: 'demo', path: 'references/x.md' };
    expectHeld(await attack(flip(), () => ask('tools/call', { name: 'read_reference', arguments: args })));
  });

  it('lead nowhere over HTTP, for a token that may see little', async () => {
    const token = await newToken(place, 'ci');
    place.write(
      'skillgate.config.json',
      JSON.stringify({
        sources: [{ kind: 'local', name: 'skills', root: 'skills' }],
        auth: { tokens: 'tokens.json' },
        policy: { rules: [{ who: ['ci'], allow: [{ sources: ['skills'] }] }] },
      }),
    );
    const server = await serveHttp(place, null);
    const headers = { authorization: `Bearer ${token}` };
    const { flip, call } = ATTACKS['a file of a skill'];
    const params = { name: call[0], arguments: call[1] };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    const ask = async () => (await post(server.url, body, headers)).text;
    expect(await ask()).toContain('Own words');
    expectHeld(await attack(flip(), ask));
    expect(inIndex()).toBe(false);
  });

  it('lead nowhere while the skills are indexed again and again', async () => {
    for (let skill = 0; skill < 20; skill++) {
      mkdirSync(at(`skills/s${skill}`));
      writeFileSync(
        at(`skills/s${skill}/SKILL.md`),
        skillFile(`s${skill}`, `Do task ${skill}`, 'Own words.\n'),
      );
    }
    const flips = Array.from({ length: 20 }, (_, skill) => ({
      path: at(`skills/s${skill}/SKILL.md`),
      targets: [at('outside/SKILL.md')],
    }));
    const flipping = startFlipping(flips);
    const found: boolean[] = [];
    try {
      for (let run = 0; run < 3; run++) {
        await place.run('index', '--skills', 'skills', '--index', `index/${run}`);
        found.push(inIndex());
      }
    } finally {
      await flipping.end();
    }
    expect(found).toEqual(found.map(() => false));
  });
});
