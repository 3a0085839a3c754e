/**
 * Promise: the commands of README and docs do not depend on what their reader has. They run where home is empty, and where it
 * has 300 skills of which the pages name none. `docs.e2e.test.ts` runs them with the example skills.
 */

import { describe, expect, it } from 'vitest';
import { workplace } from './command.ts';
import { documentCommands, expectSuccess, PAGES_WITH_COMMANDS, runIn } from './document-commands.ts';

const VERBS = 'plan review repair migrate measure translate archive schedule compare summarise'.split(' ');
const THINGS =
  'budget garden router podcast vineyard telescope orchestra ferry archive kiln beehive compiler atlas loom tariff glacier puppet bakery quarry sonnet lighthouse ledger tunnel harbour mosaic turbine orchard violin canyon observatory'.split(
    ' ',
  );

/** Files of 300 skills by path: other words in each, every tenth of them once more in the folder of another host. */
function manySkills(): (readonly [path: string, text: string])[] {
  return THINGS.flatMap((thing, row) =>
    VERBS.flatMap((verb, column) => {
      const other = THINGS[(row * 7 + column) % THINGS.length];
      const text = `---
name: ${verb}-${thing}
description: How to ${verb} a ${thing} step by step. Use when a ${thing} is late, or when its ${other} has to be checked.
---
# To ${verb} a ${thing}

Look at the ${other} first, then ${verb} the ${thing} in ${row + column + 2} steps.
`;
      const folders = ['.claude/skills', ...(column === 0 ? ['.agents/skills'] : [])];
      return folders.map((folder) => [`home/${folder}/${verb}-${thing}/SKILL.md`, text] as const);
    }),
  );
}

/** What a command may answer instead where there is nothing yet: what is missing, and what to do. */
const NOTHING_YET =
  /There are no skill folders here \(.*Name one with --skills DIR|No host was found .* Name one: skillgate/s;

describe.each(['an empty home', 'a home with 300 skills'])('commands in %s', (what) => {
  const place = workplace();
  const isEmpty = what === 'an empty home';
  if (!isEmpty) {
    for (const [path, text] of manySkills()) place.write(path, text);
  }
  const commands = documentCommands(place);

  it.each(PAGES_WITH_COMMANDS)(
    'of %s run',
    (path) =>
      commands.run(path, (ran) => {
        const { command, code, stderr } = ran;
        if (isEmpty && code !== 0)
          expect({ command, stderr }).toEqual({ command, stderr: expect.stringMatching(NOTHING_YET) });
        else expectSuccess(ran);
      }),
    240_000,
  );

  it('that are shown by demo run', async () => {
    const { code, stderr } = await runIn(place, '.', 'skillgate demo');
    expect(code).toBe(0);
    const shown = stderr.match(/skillgate read .*/g) ?? [];
    expect(shown.length).toBeGreaterThan(0);
    for (const command of shown) expect(await runIn(place, '.', command)).toMatchObject({ code: 0 });
    expect(stderr).not.toContain('--cursor');
  });

  it('list identical skills of two hosts, and load them by their name without a question', async () => {
    const { stdout } = await runIn(place, '.', 'skillgate list || true');
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    if (isEmpty) return;
    const { code, stdout: text } = await runIn(place, '.', 'skillgate load plan-budget');
    expect({ code, text }).toMatchObject({ code: 0, text: expect.stringContaining('# To plan a budget') });
  });
});
