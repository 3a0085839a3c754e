import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compactionOf, MAX_SEGMENTS } from '../../index/compaction.ts';
import { examples } from '../thorough.ts';

const segment = (documents: number, dead = 0) => ({
  documents,
  dead: Array.from({ length: dead }, (_, at) => at),
});
const segments = (...documents: number[]) => documents.map((size) => segment(size));

describe('compactionOf', () => {
  it('does not merge up to eight segments', () => {
    expect(compactionOf([])).toBeNull();
    expect(compactionOf(segments(1000, 9, 8, 7, 6, 5, 4, 3))).toBeNull();
  });

  it('merges the newest segments, including each that is at most twice as large as all newer ones', () => {
    // 1 + 1 = 2; 4 ≤ 2 × 2, so 6; 13 > 2 × 6.
    expect(compactionOf(segments(10_000, 500, 200, 100, 50, 13, 4, 1, 1))).toBe(6);
    // 1 + 1, + 1, + 1 = 4; 3 ≤ 8, so 7; 10 ≤ 14, so 17; 30 ≤ 34, so 47; 90 ≤ 94. The first segment stays.
    expect(compactionOf(segments(10_000, 90, 30, 10, 3, 1, 1, 1, 1))).toBe(1);
  });

  it('never leaves more than eight segments, however many one run built', () => {
    expect(compactionOf(segments(100_000, 9000, 2900, 900, 290, 90, 40, 5, 4, 3, 2, 1))).toBe(7);
  });

  it('measures segments by their living documents, because only those are written', () => {
    const all = segments(10_000, 500, 200, 100, 50, 13, 4, 1, 1);
    // 13 − 1 ≤ 2 × 6.
    expect(compactionOf(all.map((one) => (one.documents === 13 ? segment(13, 1) : one)))).toBe(5);
  });

  it('merges all segments once more than a fifth is dead or late, and counts no document twice', () => {
    expect(compactionOf(segments(80, 20))).toBeNull();
    expect(compactionOf(segments(79, 21))).toBe(0);
    expect(compactionOf([segment(100, 20)])).toBeNull();
    expect(compactionOf([segment(100, 21)])).toBe(0);
    // 5 late documents are dead, and 15 + 5 of 100 are late or dead.
    expect(compactionOf([segment(85, 5), segment(15, 5)])).toBeNull();
  });

  it('keeps the first segment and its graph if most of the excess is dead documents in late segments', () => {
    // 12 of 22.
    expect(compactionOf([segment(78), segment(22, 12)])).toBe(1);
    expect(compactionOf([segment(78), segment(22, 11)])).toBe(0);
  });

  it('keeps a first segment that other indexes have, however many documents follow, while it is worth the share', () => {
    const shared = (documents: number, dead = 0) => ({ ...segment(documents, dead), shared: true });
    expect(compactionOf([shared(100), segment(60)])).toBeNull();
    expect(compactionOf([shared(100, 50), segment(60)])).toBeNull();
    // More than half of it is dead, or the rest is more than eight times as large.
    expect(compactionOf([shared(100, 51), segment(60)])).toBe(0);
    expect(compactionOf([shared(100), segment(800)])).toBeNull();
    expect(compactionOf([shared(100), segment(801)])).toBe(0);
    // 10 late documents live, 11 are dead.
    expect(compactionOf([shared(100), segment(21, 11)])).toBe(1);
    expect(compactionOf([shared(100), ...segments(1, 1, 1, 1, 1, 1, 1, 1)])).toBe(1);
  });

  it('keeps few segments and few dead or late documents, at a logarithmic cost per edit', () => {
    const kind = fc.constantFrom('add', 'change', 'remove', 'change the same few');
    const edit = fc.record({
      kind,
      documents: fc.integer({ min: 1, max: 8 }),
      times: fc.integer({ min: 1, max: 1000 }),
    });
    const sequence = fc.array(edit, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(sequence, fc.integer({ min: 2000, max: 10_000 }), fc.nat(), (edits, first, seed) => {
        const index = new Model(first);
        let random = seed;
        let most = 0;
        for (const { kind, documents, times } of edits)
          for (let time = 0; time < times; time += 1) {
            const keys = Array.from({ length: documents }, () => {
              random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
              const among = kind === 'change the same few' ? first / 50 : index.keys;
              return kind === 'add' ? index.keys++ : Math.floor((random / 2 ** 32) * among);
            });
            index.edit(new Set(keys), kind === 'remove');
            most = Math.max(most, index.segments.length);
          }
        expect(most).toBeLessThanOrEqual(MAX_SEGMENTS);
        expect(index.written).toBeLessThanOrEqual(2 * Math.log2(index.keys) * index.edited);
      }),
      { numRuns: examples(20) },
    );
  });
});

/** Segments as lists of keys, where the newest segment wins, and the total cost of merging. */
class Model {
  keys: number;
  segments: Set<number>[];
  /** Documents of each segment, including dead ones. */
  readonly #sizes = new Map<Set<number>, number>();
  readonly #segmentOf = new Map<number, Set<number>>();
  edited = 0;
  written = 0;

  constructor(keys: number) {
    this.keys = keys;
    this.segments = [];
    this.#put(new Set(Array.from({ length: keys }, (_, key) => key)));
  }

  edit(keys: ReadonlySet<number>, isRemoval: boolean): void {
    this.edited += keys.size;
    for (const key of keys) this.#segmentOf.get(key)?.delete(key);
    if (isRemoval) for (const key of keys) this.#segmentOf.delete(key);
    else this.#put(new Set(keys));
    this.segments = this.segments.filter(({ size }) => size > 0);
    const from = compactionOf(
      this.segments.map((living) => {
        const documents = this.#sizes.get(living)!;
        return { documents, dead: Array.from({ length: documents - living.size }) };
      }) as ReturnType<typeof segments>,
    );
    if (from === null) return;
    const merged = new Set(this.segments.splice(from).flatMap((living) => [...living]));
    this.written += merged.size;
    this.#put(merged);
  }

  #put(living: Set<number>): void {
    this.segments.push(living);
    this.#sizes.set(living, living.size);
    for (const key of living) this.#segmentOf.set(key, living);
  }
}
