/** The benchmark's tables, and the tokens of real answers about the shipped examples. */

import { describe, expect, it } from 'vitest';
import { memoryDirectory } from '#index';
import { ranksTable } from '../../bench/agent.ts';
import { tokensIn, tokensTable } from '../../bench/tokens.ts';
import { openLibrary, settingsOf } from '../../src/app/public.ts';
import { readDatasetFolder, summarise } from '../../src/evaluation/public.ts';
import { openGateway } from '../../src/gateway/public.ts';
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
    const table = ranksTable([summarise('s', 'd', 10, [result])], {
      qrels: new Map([['q', new Map([['a', 3]])]]),
    });
    // Three of four are not judged.
    expect(table).toMatch(/s +1 +100\.0 +100\.0 +100\.0 +75\.0/);
  });
});

describe('answers about the example skills', () => {
  it('stay within their tokens, as text and structured', async () => {
    const settings = await settingsOf(
      { skills: ['examples/skills'], vectors: 'exact' },
      { cwd: process.cwd(), home: '/nonexistent', env: {} },
    );
    const library = await openLibrary(settings, { log: () => {}, directory: memoryDirectory() });
    await library.update();
    const { client, close } = await connect('2026-07-28', openGateway(library));
    const { queries } = await readDatasetFolder('bench/datasets/examples');
    const found = [];
    for (const { text: query } of queries.slice(0, 60)) {
      const { content, structuredContent } = await client.callTool({
        name: 'search_skills',
        arguments: { query },
      });
      const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
      const weak = JSON.stringify(structuredContent).includes('"weak":true');
      found.push({ weak, text: tokensIn(text), structured: tokensIn(JSON.stringify(structuredContent)) });
    }
    await close();
    await library.close();
    for (const { weak, text, structured } of found) {
      expect(text).toBeLessThanOrEqual(weak ? 150 : 340);
      expect(structured).toBeLessThanOrEqual(weak ? 150 : 400);
    }
    const texts = found
      .filter(({ weak }) => !weak)
      .map(({ text }) => text)
      .sort((a, b) => a - b);
    expect(texts[texts.length >> 1]).toBeLessThanOrEqual(280);
  });
});
