import { expect, it } from 'vitest';
import { EXTENSIONS } from '../../../extensions/extensions.ts';
import { configJsonSchema } from '../../../src/app/config/json-schema.ts';
import { createProgram } from '../../../src/cli/main.ts';

/** Options of `sources add` that become no setting of a source under their own name. */
const OTHERS = /^(config|set|json|index|kind|mcpUrl|mcpCommand|fetch|frozen|header)$/;

it('sources add has only options that a source of the configuration may have', () => {
  const sources = createProgram(EXTENSIONS).commands.find((command) => command.name() === 'sources');
  const add = sources!.commands.find((command) => command.name() === 'add')!;
  const kinds = JSON.parse(JSON.stringify(configJsonSchema())).properties.sources.items.oneOf;
  const known = new Set(kinds.flatMap(({ properties }: { properties: object }) => Object.keys(properties)));
  const settings = add.options.map((option) => option.attributeName()).filter((name) => !OTHERS.test(name));
  expect(settings).toContain('ref');
  expect(settings.filter((name) => !known.has(name))).toEqual([]);
});
