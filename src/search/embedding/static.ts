/**
 * The shipped kind of model: a table with one vector per token; a text is the mean of its tokens. No native
 * library, no download, ready in about 10 ms. The same folder loads in transformers.js (`transformers.ts`).
 */

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Embedder } from '../../../index/embedder.ts';
import { toUnitLength } from '../../../index/vectors/float.ts';
import { ModelError } from './errors.ts';
import { type ModelInFiles, ONNX, openPrepared, type StaticModel, TOKENIZER } from './prepared.ts';
import { tokenSum } from './sum.ts';
import { readEmbeddingTable } from './tables.ts';
import { WordPiece } from './wordpiece.ts';

/** Hex digits of the digest in the id: 48 bits distinguish the models of one machine. */
const DIGEST_DIGITS = 12;

/**
 * Opens the model in `folder`: `config.json` (with `skillgate.id`), `tokenizer.json`, `onnx/model_quantized.onnx`.
 * Its id contains a digest of the latter two, so vectors of a retrained table never mix with older ones. `file`
 * holds what `prepared` made of the folder: if it is current, the model opens five times as fast.
 *
 * Embedding does not yield, about 10 µs for a text of 60 words: callers choose the batch size. Throws
 * `MODEL_MISSING` or `MODEL_INVALID`.
 */
export async function staticEmbedder(folder: string, file?: string): Promise<Embedder> {
  const quick = file === undefined ? null : openPrepared(folder, file);
  if (quick !== null) return embedderOf(quick);
  const { id, wordPiece, table } = await readModel(folder);
  return embedderOf({ id, dimensions: table.dimensions, wordPiece, tokens: tokenSum(table) });
}

/** Reads the whole model in `folder`. Throws as `staticEmbedder`. */
export async function readModel(folder: string): Promise<ModelInFiles> {
  const [config, tokenizer, onnx] = (await Promise.all(
    ['config.json', TOKENIZER, ONNX].map((name) => bytesOf(folder, name)),
  )) as [Buffer, Buffer, Buffer];
  const name = nameIn(config.toString());
  const digest = createHash('sha256').update(tokenizer).update(onnx).digest('hex').slice(0, DIGEST_DIGITS);
  const wordPiece = WordPiece.parse(tokenizer);
  const table = readEmbeddingTable(onnx);
  if (wordPiece.size > table.rows)
    throw new ModelError(
      'MODEL_INVALID',
      `The vocabulary has ${wordPiece.size} tokens, the table ${table.rows} rows.`,
      { data: { folder } },
    );
  return { id: `${name}@${digest}`, wordPiece, table, tokenizer, onnx };
}

function embedderOf({ id, dimensions, wordPiece, tokens }: StaticModel): Embedder {
  /**
   * The text's vector in `tokens.sum`. The sum has the direction of the mean; only its length differs, and that is
   * normalised.
   */
  const embed = (text: string): Float32Array => {
    tokens.add(wordPiece.encode(text, tokens.ids));
    toUnitLength(tokens.sum);
    return tokens.sum;
  };

  return {
    id,
    dimensions,
    async embedPassages(texts) {
      const out = new Float32Array(texts.length * dimensions);
      texts.forEach((text, at) => {
        out.set(embed(text), at * dimensions);
      });
      return out;
    },
    async embedQuery(text) {
      return embed(text).slice();
    },
  };
}

async function bytesOf(folder: string, file: string): Promise<Buffer> {
  try {
    return await readFile(join(folder, file));
  } catch (cause) {
    throw new ModelError('MODEL_MISSING', `The model's file ${join(folder, file)} cannot be read.`, {
      data: { folder, file },
      cause,
    });
  }
}

function nameIn(config: string): string {
  let id: unknown;
  try {
    id = (JSON.parse(config) as { skillgate?: { id?: unknown } } | null)?.skillgate?.id;
  } catch (cause) {
    throw new ModelError('MODEL_INVALID', 'config.json is not JSON.', { cause });
  }
  if (typeof id !== 'string' || id === '')
    throw new ModelError('MODEL_INVALID', 'config.json has no "skillgate.id": this is not a static model.');
  return id;
}
