import { describe, expect, it } from 'vitest';
import { OutputStore } from '../../../extensions/scripts/output-store.ts';

const ada = { id: 'ada', scopes: [] };
const eve = { id: 'eve', scopes: [] };
const file = (path: string, size = 3) => ({ path, bytes: Buffer.alloc(size, 'x') });

describe('OutputStore', () => {
  it('returns a file to the principal of the run, by its URI, with its type', () => {
    const outputs = new OutputStore(1_000, () => 0);
    const [kept] = outputs.keep('run1', ada, [file('a b/ü#?.csv')]);
    expect(kept).toEqual({
      path: 'a b/ü#?.csv',
      uri: 'skill-output://run1/a%20b/%C3%BC%23%3F.csv',
      size: 3,
      mimeType: 'text/csv',
    });
    expect(outputs.read(kept?.uri ?? '', ada)).toEqual({ bytes: Buffer.from('xxx'), mimeType: 'text/csv' });
    expect(outputs.read(kept?.uri ?? '', eve)).toBeNull();
  });

  it('returns null for other URIs', () => {
    const outputs = new OutputStore(1_000, () => 0);
    outputs.keep('run1', ada, [file('a')]);
    for (const uri of [
      'skill-output://run1/',
      'skill-output://run1/../a',
      'skill-output://run2/a',
      'skill://run1/a',
      '',
    ])
      expect(outputs.read(uri, ada), uri).toBeNull();
  });

  it('drops files when they expire, and when cleared', () => {
    let now = 1;
    const outputs = new OutputStore(1_000, () => now);
    outputs.keep('run1', ada, [file('a')]);
    now = 1_001;
    expect(outputs.read('skill-output://run1/a', ada)).not.toBeNull();
    now = 1_002;
    expect(outputs.read('skill-output://run1/a', ada)).toBeNull();
    outputs.keep('run2', ada, [file('a')]);
    outputs.clear();
    expect(outputs.read('skill-output://run2/a', ada)).toBeNull();
  });

  it('drops the oldest run where the total exceeds the limit', () => {
    const outputs = new OutputStore(1_000, () => 0);
    // 128 MiB are kept: 16 runs of 8 MiB, and not the first of 17.
    for (let run = 0; run < 17; run++) outputs.keep(`run${run}`, ada, [file('a', 8 * 2 ** 20)]);
    expect(outputs.read('skill-output://run0/a', ada)).toBeNull();
    expect(outputs.read('skill-output://run1/a', ada)).not.toBeNull();
    expect(outputs.read('skill-output://run16/a', ada)).not.toBeNull();
    outputs.clear();
  });
});
