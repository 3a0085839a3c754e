/** The benchmark's tables, and the tokens of real answers about the shipped examples. */

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fingerprint, show } from '../../bench/agent/answers.ts';
import { type Chooser, recording, replay } from '../../bench/agent/choices.ts';
import { loopTable, runLoop } from '../../bench/agent/loop.ts';
import { chooserAt, writerAt } from '../../bench/agent/model.ts';
import { ranksTable } from '../../bench/agent/ranks.ts';
import { tokensIn, tokensTable } from '../../bench/tokens.ts';
import { readDatasetFolder } from '../../extensions/lab/beir.ts';
import { summarise } from '../../extensions/lab/evaluation.ts';
import { memoryDirectory } from '../../index/directory/memory.ts';
import { openLibrary } from '../../src/app/open-library.ts';
import { settingsOf } from '../../src/app/settings.ts';
import { openGateway } from '../../src/gateway/open.ts';
import { connect } from '../src/mcp/harness.ts';

describe('tokensTable', () => {
  it('gives median, 95th percentile and most, apart for weak answers', () => {
    const answers = [100, 200, 300, 400].map((text) => ({ text, structured: text + 50, weak: text === 100 }));
    const table = tokensTable({ answers, tools: { both: 1_700, text: 800 } });
    expect(table).toMatch(/answer, text +3 +300 +\d+ +400/);
    expect(table).toMatch(/weak answer, structured +1 +150 +150 +150/);
    expect(table).toContain('1700 tokens with output schemas, 800 without');
  });
});

describe('ranksTable', () => {
  it('counts hits among the first five that nobody judged', () => {
    const ranking = ['a', 'b', 'c', 'd'].map((id, at) => ({ id, score: 1 - at / 10 }));
    const query = { id: 'q', text: 'x' };
    const result = {
      query,
      ranking,
      values: { 'Hit@1': 1, 'Hit@5': 1, 'nDCG@10': 1 },
      firstHit: 1,
      confidence: null,
      tookMs: 1,
    };
    const table = ranksTable('written', [summarise('s', 'd', 10, [result])], {
      qrels: new Map([['q', new Map([['a', 3]])]]),
    });
    // Three of four are not judged.
    expect(table).toMatch(/s +1 +100\.0 +100\.0 +100\.0 +75\.0/);
  });
});

/** An answer with hits `a` and `b`, whose full ids are `s/a` and `s/b`; it also names `d`. */
const shown = (text = '- a 0.9: one\n- b 0.4: two\nalso: d') => ({
  text,
  skills: new Map([
    ['a', 's/a'],
    ['b', 's/b'],
  ]),
  also: new Map([['d', 's/d']]),
});
const asked = { id: 'q', text: 'query', request: 'please', style: 'user' };
const qrels = new Map([
  [
    'q',
    new Map([
      ['s/b', 3],
      ['s/a', 1],
    ]),
  ],
]);

describe('runLoop', () => {
  it('loads after one call, or after a second search', async () => {
    const once = await runLoop(
      [asked],
      async () => shown(),
      async () => ({ choice: { load: 'b' }, isStale: false }),
    );
    expect(once[0]).toMatchObject({ loaded: ['s/b'], shown: ['s/a', 's/b'], isStale: false });
    const again: Chooser = async ({ query }) => ({
      choice: query === 'query' ? { search: 'better' } : { load: 'b' },
      isStale: false,
    });
    const queries: string[] = [];
    const twice = await runLoop(
      [asked],
      async (query) => {
        queries.push(query);
        return shown();
      },
      again,
    );
    expect(queries).toEqual(['query', 'better']);
    expect(twice[0]!.loaded).toEqual([null, 's/b']);
    expect(twice[0]!.tokens).toBeGreaterThan(once[0]!.tokens);
  });

  it('stops after two calls, and leaves out requests that the chooser does not know', async () => {
    const restless: Chooser = async () => ({ choice: { search: 'more' }, isStale: false });
    const [outcome] = await runLoop([asked], async () => shown(), restless);
    expect(outcome!.loaded).toEqual([null, null]);
    expect(
      await runLoop(
        [asked],
        async () => shown(),
        async () => null,
      ),
    ).toEqual([]);
  });

  it('loads nothing if the chosen skill is no longer shown', async () => {
    const [outcome] = await runLoop(
      [asked],
      async () => shown(),
      async () => ({ choice: { load: 'c' }, isStale: true }),
    );
    expect(outcome).toMatchObject({ loaded: [null], isStale: true });
  });

  it('loads a skill that the answer names behind its hits', async () => {
    const [outcome] = await runLoop(
      [asked],
      async () => shown(),
      async () => ({ choice: { load: 'd' }, isStale: false }),
    );
    expect(outcome).toMatchObject({ loaded: ['s/d'], shown: ['s/a', 's/b'], named: ['s/d'] });
  });

  it('reports the share of best skills after one call and after two, by style', async () => {
    const outcomes = [
      {
        id: 'q',
        style: 'user',
        loaded: ['s/b'],
        shown: ['s/a', 's/b'],
        named: [],
        tokens: 100,
        isStale: false,
      },
      {
        id: 'q',
        style: 'problem',
        loaded: [null, 's/b'],
        shown: ['s/a'],
        named: ['s/b'],
        tokens: 300,
        isStale: true,
      },
      { id: 'q', style: 'problem', loaded: ['s/c'], shown: ['s/c'], named: [], tokens: 200, isStale: false },
      { id: 'q', style: 'problem', loaded: [null], shown: ['s/b'], named: [], tokens: 200, isStale: false },
    ];
    const table = loopTable(outcomes, { qrels });
    // requests, among the hits, named, after 1, after 2, useful, none, not judged, tokens
    expect(table).toMatch(/all +4 +50\.0 +75\.0 +25\.0 +50\.0 +50\.0 +25\.0 +25\.0 +200/);
    expect(table).toMatch(/ {2}user +1 +100\.0 +100\.0/);
    expect(table).toMatch(/^STALE: 1 of 4 choices were made on an answer that read otherwise\./);
  });
});

describe('recorded choices', () => {
  it('are replayed for the same answer, and marked for another one', async () => {
    const rows: Parameters<typeof recording>[1] = [];
    const turn = { id: 'q', request: 'please', query: 'query', answer: '- a 0.9: one' };
    await recording(async () => ({ choice: { load: 'a' }, isStale: false }), rows)(turn);
    const file = join(await mkdtemp(join(tmpdir(), 'choices-')), 'choices.jsonl');
    await writeFile(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const chooser = await replay(file);
    expect(await chooser(turn)).toEqual({ choice: { load: 'a' }, isStale: false });
    expect(await chooser({ ...turn, answer: '- b 0.9: one' })).toEqual({
      choice: { load: 'a' },
      isStale: true,
    });
    expect(await chooser({ ...turn, query: 'other' })).toBeNull();
    await rm(dirname(file), { recursive: true });
  });

  it('belong to the words of an answer, not to its scores', () => {
    const answer = (fit: string, score: string, line: string) =>
      `A skill fits (${fit}).\n- some/id ${score}: ${line}\n- bare ${score} [+2 copies]`;
    expect(fingerprint(answer('0.99', '0.8', 'x'))).toBe(fingerprint(answer('1', '1', 'x')));
    expect(fingerprint(answer('0.99', '0.8', 'x'))).not.toBe(
      fingerprint(answer('0.99', '0.8', 'version 2 of x')),
    );
    const paged = (also: string, cursor: string) =>
      `${answer('0.99', '0.8', 'x')}\nalso: ${also}\nnext_cursor: ${cursor}`;
    expect(fingerprint(paged('c', '5.aaaa'))).toBe(fingerprint(paged('c', '5.bbbb')));
    expect(fingerprint(paged('c', '5.aaaa'))).not.toBe(fingerprint(paged('d', '5.aaaa')));
  });
});

describe('show', () => {
  it('gives the full ids of the hits and of the skills named behind them', async () => {
    const all = ['a', 'b', 'c'].map((id) => ({ id, detail: { full_id: `s/${id}` } }));
    const calls: unknown[] = [];
    const client = {
      callTool: async ({ arguments: args = {} }: { arguments?: Record<string, unknown> }) => {
        calls.push(args);
        const structuredContent = args.top_k === 10 ? { hits: all } : { hits: all.slice(0, 2), also: ['c'] };
        return { content: [{ type: 'text' as const, text: 'also: c' }], structuredContent };
      },
    };
    const answer = await show(client as unknown as Parameters<typeof show>[0], 'x');
    expect(Object.fromEntries(answer.skills)).toEqual({ a: 's/a', b: 's/b' });
    expect(Object.fromEntries(answer.also)).toEqual({ c: 's/c' });
    expect(calls).toHaveLength(3);
    all.pop();
    await expect(show(client as unknown as Parameters<typeof show>[0], 'x')).rejects.toThrow('names c');
  });
});

describe('models behind an endpoint', () => {
  async function withEndpoint(content: string, use: (url: string, bodies: unknown[]) => Promise<void>) {
    const bodies: unknown[] = [];
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        bodies.push({ path: request.url, key: request.headers.authorization, ...JSON.parse(body) });
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ choices: [{ message: { role: 'assistant', content } }] }));
      });
    });
    await new Promise<void>((done) => {
      server.listen(0, '127.0.0.1', done);
    });
    try {
      await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`, bodies);
    } finally {
      await new Promise((done) => {
        server.close(done);
      });
    }
  }
  const turn = { id: 'q', request: 'please', query: 'query', answer: '- a 0.9: one' };

  it('choose from the answer exactly as it was given', async () => {
    await withEndpoint('Sure: {"load": "a"}', async (url, bodies) => {
      const chosen = await chooserAt({ url, model: 'm', key: 'k' })(turn);
      expect(chosen).toEqual({ choice: { load: 'a' }, isStale: false });
      expect(bodies[0]).toMatchObject({ path: '/v1/chat/completions', model: 'm', key: 'Bearer k' });
      expect(JSON.stringify(bodies[0])).toContain(JSON.stringify(turn.answer).slice(1, -1));
    });
  });

  it('refuse a reply that is no choice', async () => {
    await withEndpoint('I like skills.', async (url) => {
      await expect(chooserAt({ url, model: 'm' })(turn)).rejects.toThrow(
        "The chooser's reply is no choice: I like skills.",
      );
    });
  });

  it('write a query from the request and the text of the tool alone', async () => {
    await withEndpoint('"fix the build"', async (url, bodies) => {
      const write = writerAt({ url, model: 'm' }, { name: 'search_skills', description: 'Finds skills.' });
      expect(await write('it broke')).toBe('fix the build');
      expect(JSON.stringify(bodies[0])).toContain('Finds skills.');
    });
  });
});

/** A client of a server with the example skills. */
async function connectToExamples() {
  const settings = await settingsOf(
    { skills: ['examples/skills'], vectors: 'exact' },
    { cwd: process.cwd(), home: '/nonexistent', env: {} },
  );
  const library = await openLibrary(settings, { log: () => {}, directory: memoryDirectory() });
  await library.update();
  const { client, close } = await connect('2026-07-28', openGateway(library));
  return {
    client,
    close: async () => {
      await close();
      await library.close();
    },
  };
}

describe('the recorded loop on the example skills', () => {
  it('still ends with the best skill after one call', async () => {
    const folder = 'bench/datasets/examples-agent';
    const { qrels } = await readDatasetFolder(folder);
    const lines = (await readFile(join(folder, 'queries.jsonl'), 'utf8')).trim().split('\n');
    const queries = lines.map((line) => {
      const { _id, text, request, style } = JSON.parse(line);
      return { id: _id, text, request, style };
    });
    const { client, close } = await connectToExamples();
    const outcomes = await runLoop(
      queries,
      (query) => show(client, query),
      await replay(join(folder, 'choices.jsonl')),
    );
    await close();
    expect(outcomes).toHaveLength(40);
    const loaded = outcomes.filter(({ id, loaded }) => (qrels.get(id)?.get(loaded[0] ?? '') ?? 0) >= 3);
    expect(loaded.length).toBeGreaterThanOrEqual(39);
    expect(Math.max(...outcomes.map(({ tokens }) => tokens))).toBeLessThan(450);
  });
});

describe('answers about the example skills', () => {
  it('stay within their tokens, as text and structured', async () => {
    const { client, close } = await connectToExamples();
    const { queries } = await readDatasetFolder('bench/datasets/examples');
    const found = [];
    for (const { text: query } of queries.slice(0, 60)) {
      const { content, structuredContent } = await client.callTool({
        name: 'search_skills',
        arguments: { query },
      });
      const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
      const weak = JSON.stringify(structuredContent).includes('"weak":true');
      const also = /^also: .*$/m.exec(text)?.[0] ?? '';
      found.push({
        weak,
        text: tokensIn(text),
        structured: tokensIn(JSON.stringify(structuredContent)),
        also: tokensIn(also),
      });
    }
    await close();
    expect(found.some(({ also }) => also > 0)).toBe(true);
    for (const { weak, text, structured, also } of found) {
      expect(also).toBeLessThanOrEqual(weak ? 0 : 60);
      expect(text).toBeLessThanOrEqual(weak ? 150 : 340);
      expect(structured).toBeLessThanOrEqual(weak ? 150 : 400);
    }
    const texts = found
      .filter(({ weak }) => !weak)
      .map(({ text, also }) => text - also)
      .sort((a, b) => a - b);
    // The hits of the examples are longer than those of a large catalog: the line of further ids has its own limit.
    expect(texts[texts.length >> 1]).toBeLessThanOrEqual(280);
  });
});
