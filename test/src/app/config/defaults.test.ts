import { expect, it } from 'vitest';
import { DEFAULTS } from '../../../../src/app/config/defaults.ts';
import { configSchema } from '../../../../src/app/config/schema.ts';

it('equals the schema’s parse of an empty configuration', () => {
  expect(DEFAULTS).toEqual(configSchema.parse({}));
});
