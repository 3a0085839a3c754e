/** Locates the files of a transformers.js model and computes the digest that identifies its weights. */

import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readdirSync, statSync } from 'node:fs';
import { basename, isAbsolute, join, resolve } from 'node:path';
import { ModelError } from './errors.ts';

/** Precision of the weights. q8, eight-bit integers, is the smallest that most models offer. */
export type Dtype = 'fp32' | 'fp16' | 'q8' | 'q4';

/** File name suffix that transformers.js uses for each precision. */
const SUFFIXES: Readonly<Record<Dtype, string>> = { fp32: '', fp16: '_fp16', q8: '_quantized', q4: '_q4' };

interface ModelLocation {
  /** Argument for transformers.js: an absolute folder, or a hub id. */
  readonly path: string;
  /** Name for people. */
  readonly name: string;
  readonly isLocal: boolean;
  /** Hex SHA-256 of every file that determines the vectors; of the hub's id if the files are not local. */
  readonly digest: string;
}

/**
 * Locates a model by its folder or its hub id (`owner/name`). Throws `MODEL_MISSING` if the folder or its weights
 * do not exist.
 */
export async function locateModel(model: string, dtype: Dtype): Promise<ModelLocation> {
  const folder = resolve(model);
  const isLocal = existsSync(folder) && statSync(folder).isDirectory();
  if (!isLocal) {
    if (isPath(model))
      throw new ModelError(
        'MODEL_MISSING',
        `There is no folder ${folder}: --embedder takes a folder or a hub id.`,
        {
          data: { folder },
        },
      );
    return { path: model, name: model, isLocal, digest: createHash('sha256').update(model).digest('hex') };
  }
  const weights = join('onnx', `model${SUFFIXES[dtype]}.onnx`);
  for (const file of ['config.json', 'tokenizer.json', weights])
    if (!existsSync(join(folder, file)))
      throw new ModelError(
        'MODEL_MISSING',
        `The model in ${folder} has no ${file}. It contains ${contents(folder)}.`,
        {
          data: { folder, file },
        },
      );
  const hash = createHash('sha256');
  for (const file of ['config.json', 'tokenizer.json', weights])
    for await (const piece of createReadStream(join(folder, file))) hash.update(piece);
  return { path: folder, name: basename(folder), isLocal, digest: hash.digest('hex') };
}

/** True for what can only be a path. */
function isPath(model: string): boolean {
  return isAbsolute(model) || /^[.~]|\\/.test(model) || model.split('/').length > 2;
}

function contents(folder: string): string {
  const files = readdirSync(folder);
  if (files.includes('onnx')) files.push(...readdirSync(join(folder, 'onnx')).map((file) => `onnx/${file}`));
  return files.slice(0, 20).join(', ') || 'nothing';
}
