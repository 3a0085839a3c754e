/** The benchmark's tables, and the tokens of real answers about the shipped examples. */

import { describe, expect, it } from 'vitest';
import { readDatasetFolder } from '../../bench/evaluation/dataset-folder.ts';
import { tokensIn } from '../../bench/tokens.ts';
import { memoryDirectory } from '../../index/directory/memory.ts';
import { openLibrary } from '../../src/app/open-library.ts';
import { readSettings } from '../../src/app/settings.ts';
import { openGateway } from '../../src/gateway/pipeline.ts';
import { connect } from '../src/mcp/harness.ts';

/** A client of a server with the example skills. */
async function connectToExamples() {
  const settings = await readSettings(
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
