/** For any arguments, the server answers, keeps to its schemas and stays up. */

import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { examples } from '../../thorough.ts';
import { fakeGateway, SKILLS } from './fake-gateway.ts';
import { connect, ERAS, textOf } from './harness.ts';

const NAMES = ['search_skills', 'load_skill', 'read_reference', 'list_skills'] as const;
const FIELDS = [
  'query',
  'top_k',
  'cursor',
  'filters',
  'skill',
  'section',
  'max_tokens',
  'path',
  'lines',
  'heading',
  'limit',
  '__proto__',
  'constructor',
] as const;

/** Any JSON, and values close to valid ones. */
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom('deploy', 'documents/pdf-forms', 'SKILL.md', '1-5', '5-1', '../x', '', 'Steps', '99'),
  fc.integer({ min: -1, max: 60 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
);
const args = fc.dictionary(fc.constantFrom(...FIELDS), value, { maxKeys: 6 });

describe.each(ERAS)('any arguments on %s', async (era) => {
  const { client, logged, close } = await connect(era, fakeGateway(SKILLS));
  afterAll(close);

  const { tools } = await client.listTools();
  const provider = new AjvJsonSchemaValidator();
  const validators = new Map(
    tools.map(({ name, outputSchema }) => [
      name,
      provider.getValidator(JSON.parse(JSON.stringify(outputSchema))),
    ]),
  );

  it('get an answer that fits the output schema, also for failures, which older clients check too', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...NAMES), args, async (name, given) => {
        const result = await client.callTool({ name, arguments: given });
        expect(result.content.length).toBeGreaterThan(0);
        if (result.isError) expect(textOf(result)).not.toBe('');
        else expect(result.structuredContent).toBeDefined();
        if (result.structuredContent !== undefined)
          expect(validators.get(name)?.(result.structuredContent)).toMatchObject({ valid: true });
      }),
      { numRuns: examples(400) },
    );
    expect(logged).toEqual([]);
  });

  it('are refused without being traversed if they have too many elements', async () => {
    const filters = { tags: Array.from({ length: 100_000 }, (_, at) => `tag-${at}`) };
    const result = await client.callTool({ name: 'search_skills', arguments: { query: 'x', filters } });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('maximum of 500 elements');
  });
});
