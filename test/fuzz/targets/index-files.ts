/**
 * Damage to the files of an index: opening and searching it reports the damage, or answers exactly as before, because nothing
 * reads what was changed. The input is a list of changes: file, offset, value; an offset past the end cuts the file off.
 */

import assert from 'node:assert/strict';
import { type Directory, readWhole, writeWhole } from '../../../index/directory/directory.ts';
import { memoryDirectory } from '../../../index/directory/memory.ts';
import { IndexError } from '../../../index/errors.ts';
import { Reader } from '../../../index/reader/reader.ts';
import { SegmentWriter } from '../../../index/segment/writer.ts';
import { IndexWriter } from '../../../index/writer.ts';
import { toyDocument, toyEmbedder } from '../../index/toy.ts';

/** A file's number, four bytes of its offset, the new value. */
const CHANGE_BYTES = 6;
const RECIPE = 'fuzz';
const DOCUMENTS = 40;

const embedder = toyEmbedder();

async function built(): Promise<Directory> {
  const directory = memoryDirectory();
  const writer = await IndexWriter.open(directory, { embedder, recipe: RECIPE });
  const documents = Array.from({ length: DOCUMENTS }, (_, at) =>
    toyDocument(`skill-${at}`, `Brew tea number ${at}`, [`Boil water ${at}`, 'Wait until it is green'], {
      references: at % 4 === 0 ? ['Leaves are picked in spring'] : [],
      facets: [`tag:t${at % 3}`],
      aliases: [`alias-${at}`],
    }),
  );
  const segments = new SegmentWriter(embedder, RECIPE);
  await segments.add(documents);
  writer.commit({ segments: [segments.finish(directory, 'a-1.segment')], removed: ['skill-7'] });
  await writer.close();
  return directory;
}

/** All that a search, a load and a list read. */
async function answerOf(directory: Directory): Promise<string> {
  const reader = Reader.open(directory, { embedder });
  if (reader === null) return 'no index';
  try {
    const query = await embedder.embedQuery('brew green tea');
    const words = reader.lexical.prepare('green leaves of tea');
    const accept = reader.accept([['tag:t1', 'tag:t2']]);
    const matches = reader.lexical.match(words, 20, accept);
    const nearest = (await reader.openVectors()).nearest(query, 10, accept);
    const ordinals = reader.ordinalsByKey();
    return JSON.stringify([
      [...matches.ordinals, ...matches.scores],
      [...nearest.ordinals, ...nearest.scores],
      Array.from(ordinals, (ordinal) => [
        reader.key(ordinal),
        reader.digest(ordinal),
        reader.payload(ordinal),
        reader.passages.kinds(ordinal).map((_, at) => reader.passages.get(ordinal, at)),
        [...reader.passages.cosines(query, ordinal)],
        [...reader.passages.weights(words, ordinal)],
      ]),
      reader.facetCounts('tag:'),
      reader.resolve('alias-3'),
    ]);
  } finally {
    reader.close();
  }
}

const ready = built().then(async (directory) => ({
  files: new Map(directory.list().map((name) => [name, readWhole(directory, name)])),
  expected: await answerOf(directory),
}));

export async function fuzz(data: Buffer): Promise<void> {
  const { files, expected } = await ready;
  const changed = new Map([...files].map(([name, bytes]) => [name, Uint8Array.from(bytes)]));
  const names = [...files.keys()];
  for (let at = 0; at + CHANGE_BYTES <= data.length; at += CHANGE_BYTES) {
    const name = names[data.readUInt8(at) % names.length] ?? '';
    const bytes = changed.get(name) ?? new Uint8Array();
    const offset = data.readUInt32LE(at + 1) % (2 * bytes.length + 1);
    if (offset < bytes.length) bytes[offset] = data.readUInt8(at + 5);
    else changed.set(name, bytes.slice(0, offset - bytes.length));
  }
  const directory = memoryDirectory();
  for (const [name, bytes] of changed) writeWhole(directory, name, bytes);
  try {
    assert.equal(await answerOf(directory), expected);
  } catch (error) {
    if (!(error instanceof IndexError)) throw error;
    assert.ok(['INDEX_DAMAGED', 'INDEX_FORMAT', 'INDEX_MISSING'].includes(error.code), error.code);
  }
}
