/** What the list of extensions says of each before it is loaded. */

import { expect, it } from 'vitest';
import { EXTENSIONS } from '../../extensions/extensions.ts';

it.each(
  EXTENSIONS.flatMap(({ name, adds = [], load }) => (load === undefined ? [] : [{ name, adds, load }])),
)('of $name, the list says all that it adds, and no more', async ({ adds, load }) => {
  expect(Object.keys(await load()).sort()).toEqual([...adds].sort());
});

it('an extension without code adds commands alone', () => {
  const bare = EXTENSIONS.filter(({ load }) => load === undefined);
  for (const { commands, adds } of bare) expect([typeof commands, adds]).toEqual(['function', undefined]);
});
