/** The rooms that mutation testing changes, and the tests that have to notice. */

export interface Room {
  readonly mutate: readonly string[];
  /** Tests of the room itself: what only tests of other rooms notice counts as unnoticed. */
  readonly tests: readonly string[];
}

const room = (name: string, ...tests: readonly string[]): Room => ({
  mutate: [`${name}/**/*.ts`],
  tests: [`test/${name}/**/*.test.ts`, ...tests],
});

export const ROOMS: Readonly<Record<string, Room>> = {
  policy: room('src/gateway/policy'),
  net: room('extensions/net'),
  network: room('extensions/scripts/network'),
  sandbox: room('extensions/scripts/sandbox'),
  skills: room('src/skills'),
  // Not those that drive a gateway, which would be loaded for each mutant: what only they notice counts as unnoticed.
  search: { ...room('src/search'), tests: ['test/src/search/!(stuffing|language)*.test.ts'] },
  index: room('index'),
};
