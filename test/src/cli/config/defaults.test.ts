import { expect, it } from 'vitest';
import { DEFAULTS } from '../../../../src/cli/config/defaults.ts';
import { configSchema } from '../../../../src/cli/config/schema.ts';

it('equals the schema’s parse of an empty configuration', () => {
  expect(DEFAULTS).toEqual(configSchema.parse({}));
});
