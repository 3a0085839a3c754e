import { describe, expect, it } from 'vitest';
import { configJsonSchema, schemaAt } from '../../../../src/cli/config/json-schema.ts';

describe('configJsonSchema', () => {
  // After a wanted change: npx vitest run test/src/cli/config/json-schema.test.ts -u
  it('is what docs/skillgate.config.schema.json publishes', async () => {
    await expect(`${JSON.stringify(configJsonSchema(), null, 2)}\n`).toMatchFileSnapshot(
      '../../../../docs/skillgate.config.schema.json',
    );
  });

  it('asks for nothing that has a default, so that an editor does not either', () => {
    expect(configJsonSchema().required).toBeUndefined();
  });
});

describe('schemaAt', () => {
  it('follows lists, and of the kinds of sources the one that is given', () => {
    const value = { sources: [{ kind: 'local' }, { kind: 'git' }] };
    const of = (at: number) =>
      Object.keys(schemaAt(configJsonSchema(), ['sources', at], value)?.properties ?? {});
    expect(of(0)).toContain('root');
    expect(of(1)).toContain('ref');
    expect(schemaAt(configJsonSchema(), ['nothing', 'here'], value)).toBeNull();
  });
});
