import { describe, expect, it } from 'vitest';
import { counterfactualOf, RECIPES, type StuffedSkill } from '../../bench/stuffing-recipes.ts';
import { candidatesFor } from '../../src/search/candidates.ts';
import { cardFields, cardText } from '../../src/search/passages/card.ts';
import { rankingSignalsOf } from '../../src/search/rerank.ts';
import type { CatalogEntry } from '../../src/sources/scan/entry.ts';
import { toyDocument, toyEmbedder } from '../index/toy.ts';
import { indexOf } from '../src/search/small-index.ts';

const QUERY = 'pods restart when send_mail runs out of memory';
const SECTIONS = ['Open the form and list its fields', 'Fill in each field'];

function document(entry: CatalogEntry, body: readonly string[], references: readonly string[] = []) {
  const made = toyDocument(entry.id, entry.description, body, {
    payload: entry,
    references,
    ...cardFields(entry),
  });
  const [card, ...rest] = made.passages;
  return { ...made, passages: [{ ...card!, text: cardText(entry) }, ...rest] };
}
const entryOf = (name: string, description: string) =>
  ({ id: name, name, description, tags: [] as readonly string[] }) as CatalogEntry;

const FORMS = entryOf('forms', 'Fills in forms.');
const CRASH = entryOf('crash', 'Finds out why pods restart in a loop.');
const others = [
  document(CRASH, ['Read exit codes, then call `send_mail`', 'Describe the pod and its memory']),
  document(entryOf('deploy', 'Deploys a service to a cluster.'), ['Watch the rollout']),
];
const stuffedOf = (label: string): StuffedSkill =>
  RECIPES.find((recipe) => recipe.label === label)!.stuff({
    entry: FORMS,
    query: QUERY,
    popular: ['service', 'memory', 'cluster'],
    winner: CRASH,
  });

async function signalsIn(stuffed: StuffedSkill) {
  const { entry, added } = stuffed;
  const body = added?.kind === 'body' ? [...SECTIONS, added.text] : SECTIONS;
  const references = added?.kind === 'reference' ? [added.text] : [];
  const reader = await indexOf([document(entry, body, references), ...others]);
  const embedder = toyEmbedder();
  const { words, vector } = await candidatesFor(QUERY, reader, embedder, reader.accept([]));
  const ordinal = reader.resolve('forms')[0]!;
  const own = Uint32Array.of(ordinal);
  return {
    place: { reader, embedder, words, vector, ordinal },
    signals: rankingSignalsOf(reader, own, words, vector),
  };
}

describe('counterfactualOf', () => {
  it.each(RECIPES.map(({ label }) => label))(
    'gives the signals of really indexing a skill stuffed with: %s',
    async (label) => {
      const stuffed = stuffedOf(label);
      const { place } = await signalsIn({ entry: FORMS });
      const [tried, real] = [await counterfactualOf(place, stuffed), (await signalsIn(stuffed)).signals];
      for (const name of ['coverage', 'identifiers', 'card', 'passage'] as const) {
        // Real indexing also updates the document frequencies of the added words.
        const near = name === 'card' ? 0.02 : 0.16;
        expect(Math.abs(tried.signals[name][0]! - real[name][0]!), name).toBeLessThan(near);
      }
      expect(tried.signals.bm25f[0]! > 0).toBe(real.bm25f[0]! > 0);
    },
  );

  it('counts a stuffed reference by its words, not by its meaning', async () => {
    const { place } = await signalsIn({ entry: FORMS });
    const [plain, section, reference] = await Promise.all(
      ['not at all', 'query in the description and in a section', 'query in references, 20 times'].map(
        (label) => counterfactualOf(place, stuffedOf(label)),
      ),
    );
    expect(reference!.signals.bm25f[0]).toBeGreaterThan(plain!.signals.bm25f[0]!);
    expect(reference!.signals.passage[0]).toBeCloseTo(1, 5);
    expect(reference!.signals.best[0]).toBe(plain!.signals.best[0]);
    // Card and body confirm each other.
    expect(section!.signals.best[0]).toBeGreaterThan(plain!.signals.best[0]!);
    expect(section!.signals.card[0]).toBeGreaterThan(plain!.signals.card[0]!);
    expect(section!.signals.identifiers[0]).toBe(1);
  });
});
