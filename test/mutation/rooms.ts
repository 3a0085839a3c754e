/** The rooms that mutation testing changes, and the tests that have to notice. */

export interface Room {
  readonly mutate: readonly string[];
  /** Tests of the room itself: what only tests of other rooms notice counts as unnoticed. */
  readonly tests: readonly string[];
}

const src = (name: string, ...tests: readonly string[]): Room => ({
  mutate: [`src/${name}/**/*.ts`, `!src/${name}/**/public.ts`],
  tests: [`test/src/${name}/**/*.test.ts`, ...tests],
});

export const ROOMS: Readonly<Record<string, Room>> = {
  policy: src('policy'),
  net: src('net'),
  sandbox: src('sandbox'),
  skills: src('skills'),
  // Not those that drive a gateway, which would be loaded for each mutant: what only they notice counts as unnoticed.
  search: { ...src('search'), tests: ['test/src/search/!(stuffing|language).test.ts'] },
  index: { mutate: ['index/**/*.ts', '!index/**/public.ts'], tests: ['test/index/**/*.test.ts'] },
};
