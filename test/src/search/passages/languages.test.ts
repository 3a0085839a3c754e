import { describe, expect, it } from 'vitest';
import { withLanguages } from '../../../../src/search/passages/languages.ts';
import { toyDocument } from '../../../index/toy.ts';

const GERMAN = 'Sichert die Datenbank eines Servers und stellt sie nach einem Ausfall wieder her.';
const ENGLISH = 'Back up the databases of a server, and restore them when a disk is lost.';

describe('withLanguages', () => {
  it('judges the description, the skill file and each reference by itself', async () => {
    const { language, facets, passages } = await withLanguages(
      toyDocument('a', ENGLISH, [GERMAN], { references: [ENGLISH] }),
    );
    expect(language).toBeUndefined();
    expect(facets).toEqual(['language:en']);
    // Card, skill file, reference: English is not stored.
    expect(passages.map((passage) => passage.language)).toEqual([undefined, 'de', undefined]);
  });

  it('takes the language of the skill file where the description is too short', async () => {
    const document = await withLanguages(toyDocument('a', 'Backup', [GERMAN]));
    expect(document).toMatchObject({ language: 'de', facets: ['language:de'] });
  });

  it('leaves the language of keywords open, and everything else as it was', async () => {
    const given = toyDocument('a', 'docker compose');
    expect(await withLanguages(given)).toEqual(given);
  });
});
