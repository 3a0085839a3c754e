import { expect, it } from 'vitest';
import { startView } from '../../../extensions/explore/start.ts';
import { skill, testLibrary } from '../../src/gateway/test-library.ts';

it('gives requests that skills say they are for, without whose they are, and leaves out halves of sentences', async () => {
  const { library } = testLibrary({
    'mail/SKILL.md': skill(
      'mail',
      'Sends mail. Use when the user asks for a mail to all customers, or to one.',
    ),
    'csv/SKILL.md': skill('csv', 'Cleans tables. Use when has many rows of broken values.'),
  });
  const { examples } = await startView(library);
  expect(examples).toEqual(['a mail to all customers']);
});
