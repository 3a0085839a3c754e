import { describe, expect, it } from 'vitest';
import { writeWhole } from '../../index/directory/directory.ts';
import { memoryDirectory } from '../../index/directory/memory.ts';
import { readManifest } from '../../index/manifest.ts';

describe('readManifest', () => {
  it.each([
    '',
    'null',
    '[]',
    '{"skills": 3}',
    '{"name": "../x", "sha256": "a"}',
    '{"name": "CURRENT", "sha256": "a"}',
  ])('takes a CURRENT of %j for damage, after which the index is built again', (text) => {
    const directory = memoryDirectory();
    writeWhole(directory, 'CURRENT', new TextEncoder().encode(text));
    expect(() => readManifest(directory)).toThrow(expect.objectContaining({ code: 'INDEX_DAMAGED' }));
  });
});
