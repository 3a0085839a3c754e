/** Arguments as models write them. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  asLines,
  asWritten,
  lineRange,
  linesSchema,
  toolArguments,
  wholeNumber,
} from '../../../../src/mcp/tools/arguments.ts';

const schema = toolArguments({
  name: z.string(),
  limit: wholeNumber(1, 50).default(5),
  section: z.string().optional(),
});

describe('toolArguments', () => {
  it('advertises the plain schema with its defaults', () => {
    expect(z.toJSONSchema(schema, { io: 'input' })).toMatchObject({
      type: 'object',
      required: ['name'],
      properties: { limit: { type: 'integer', minimum: 1, maximum: 50, default: 5 } },
    });
  });

  it('treats null and empty optional texts as not given', () => {
    expect(schema.parse({ name: 'a', limit: null, section: ' ' })).toEqual({ name: 'a', limit: 5 });
  });

  it.each([
    [
      { name: 3000, section: 1 },
      { name: '3000', section: '1', limit: 5 },
    ],
    [
      { name: 'a', tags: [2024, 'b'] },
      { name: 'a', tags: ['2024', 'b'], limit: 5 },
    ],
    [
      { name: 'a', filters: { tags: [1] } },
      { name: 'a', filters: { tags: ['1'] }, limit: 5 },
    ],
    [
      { name: 'a', filters: [], section: 'null', limit: 0 },
      { name: 'a', limit: 5 },
    ],
    [{ name: 'null' }, { name: 'null', limit: 5 }],
  ])('reads %j, with numbers for text, and values that mean none', (given, expected) => {
    const tags = z.array(z.string()).optional();
    const filters = z.object({ tags }).optional();
    const wide = toolArguments({
      name: z.string(),
      limit: wholeNumber(1, 50).default(5),
      section: z.string().optional(),
      tags,
      filters,
    });
    expect(wide.parse(given)).toEqual(expected);
  });

  it('reads a number sent as text', () => {
    expect(schema.parse({ name: 'a', limit: '7' })).toEqual({ name: 'a', limit: 7 });
  });

  it.each([51, -1, 2.5, '7.5', 'many', true, [5], {}])('refuses limit %j and names the range', (limit) => {
    const { error } = schema.safeParse({ name: 'a', limit });
    expect(error?.issues).toMatchObject([
      { path: ['limit'], message: 'must be a whole number from 1 to 50' },
    ]);
  });

  it.each([
    ['sektion', 'section'],
    ['Limits', 'limit'],
    ['NAME', 'name'],
  ])('refuses the unknown field %s and suggests %s', (unknown, known) => {
    const { error } = schema.safeParse({ name: 'a', [unknown]: 'x' });
    expect(error?.issues[0]?.message).toBe(`"${unknown}" is unknown. Did you mean ${known}?`);
  });

  it('lists the known fields where none is near, and cuts a long name', () => {
    const { error } = schema.safeParse({ name: 'a', ['x'.repeat(10_000)]: 1 });
    expect(error?.issues[0]?.message).toMatch(/^"x+ …" is unknown\. Known: name, limit, section$/);
    expect(error?.issues[0]?.message.length).toBeLessThan(120);
  });

  it('refuses anything but an object without throwing', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        const { success } = schema.safeParse(value);
        expect(!success || typeof value === 'object').toBe(true);
      }),
    );
  });
});

describe('asLines', () => {
  it.each([
    ['10-20', '10-20'],
    ['10', '10'],
    ['10-', '10-'],
    [10, '10'],
    [[10, 20], '10-20'],
    ['[10, 20]', '10-20'],
    ['L10-L20', '10-20'],
    ['lines 10 to 20', '10-20'],
    ['10:20', '10-20'],
    ['10–20', '10-20'],
    ['10..20', '10-20'],
    [' 10 , 20 ', '10-20'],
  ])('reads %j as %j', (written, read) => {
    expect(linesSchema.parse(asLines(written))).toBe(read);
  });

  it.each(['ten', '-5', '1-2-3', '1.5', [1, 2, 3], {}, true])(
    'does not change %j, which the schema refuses',
    (written) => {
      expect(linesSchema.safeParse(asLines(written)).success).toBe(false);
    },
  );

  it('treats an empty one as not given', () => {
    expect(asLines('')).toBeNull();
  });
});

describe('lineRange', () => {
  it('reads a range, one line, and an open range', () => {
    expect(lineRange('10-20')).toEqual([10, 20]);
    expect(lineRange('10')).toEqual([10, 10]);
    expect(lineRange('10-')[0]).toBe(10);
    expect(lineRange('10-')[1]).toBeGreaterThan(100_000_000);
  });
});

describe('other mistakes', () => {
  const { parse } = toolArguments(
    {
      tags: z.array(z.string()).optional(),
      filters: z.strictObject({ tags: z.array(z.string()).optional() }).optional(),
      values: z.looseObject({}).optional(),
      any: z.record(z.string(), z.unknown()).optional(),
      detail: z.boolean().optional(),
      words: z.string().optional(),
    },
    { words: asWritten },
  );

  it.each([
    [{ tags: 'pdf' }, { tags: ['pdf'] }],
    [{ tags: '["pdf", "forms"]' }, { tags: ['pdf', 'forms'] }],
    [{ tags: '[broken' }, { tags: ['[broken'] }],
    [{ filters: '{"tags": "pdf"}' }, { filters: { tags: ['pdf'] } }],
    [{ filters: { tags: null } }, { filters: {} }],
    [{ filters: '' }, {}],
    [{ detail: 'true' }, { detail: true }],
    [{ detail: 'false' }, { detail: false }],
  ])('%j is read as %j', (written, read) => {
    expect(parse(written)).toEqual(read);
  });

  it.each(['yes', 1])('detail %j is refused', (detail) => {
    expect(() => parse({ detail })).toThrow();
  });

  it('are not looked for in an object that may have any values', () => {
    expect(parse({ values: '{"a": null, "b": ""}' })).toEqual({ values: { a: null, b: '' } });
    expect(parse({ any: { a: null } })).toEqual({ any: { a: null } });
  });

  it('are not looked for in text that may be empty', () => {
    expect(parse({ words: '' })).toEqual({ words: '' });
  });
});
