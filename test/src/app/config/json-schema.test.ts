import { describe, expect, it } from 'vitest';
import { configJsonSchema, schemaAt } from '../../../../src/app/config/json-schema.ts';

describe('configJsonSchema', () => {
  // After an intended change: npx vitest run test/src/app/config/json-schema.test.ts -u
  it('equals docs/skillgate.config.schema.json', async () => {
    await expect(`${JSON.stringify(configJsonSchema(), null, 2)}\n`).toMatchFileSnapshot(
      '../../../../docs/skillgate.config.schema.json',
    );
  });

  it('requires no setting that has a default', () => {
    expect(configJsonSchema().required).toBeUndefined();
  });
});

describe('schemaAt', () => {
  it('follows lists, and the given kind of source', () => {
    const value = { sources: [{ kind: 'local' }, { kind: 'git' }] };
    const of = (at: number) =>
      Object.keys(schemaAt(configJsonSchema(), ['sources', at], value)?.properties ?? {});
    expect(of(0)).toContain('root');
    expect(of(1)).toContain('ref');
    expect(schemaAt(configJsonSchema(), ['nothing', 'here'], value)).toBeNull();
  });
});
