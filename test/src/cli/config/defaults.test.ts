import { expect, it } from 'vitest';
import { DEFAULTS } from '../../../../src/cli/config/defaults.ts';
import { configSchema } from '../../../../src/cli/config/schema.ts';

it('is what the schema makes of nothing', () => {
  expect(DEFAULTS).toEqual(configSchema.parse({}));
});
