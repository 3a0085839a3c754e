/**
 * Runs any feature-extraction model that transformers.js supports (an optional dependency, on ONNX Runtime). The
 * package is imported when the first such model is opened, which takes 300 ms. `families.ts` has the pooling and
 * prefixes.
 */

import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readdirSync, statSync } from 'node:fs';
import { basename, isAbsolute, join, resolve } from 'node:path';
import type { Tensor } from '@huggingface/transformers';
import type { Embedder } from '../../../index/embedder.ts';
import { errorMessage } from '../../base/errors.ts';
import { ModelError } from './errors.ts';
import { familyOf, isMultilingual, type ModelFamily, pooled } from './families.ts';

export interface TransformersOptions {
  /** Where models of the hub are kept; default: the package's own folder. */
  readonly downloads?: string;
  /** Progress of a download: a file of the model, and its share done, 0–1. */
  readonly onDownload?: (file: string, share: number) => void;
}

/** Tokens of a text that are read: what most encoders were trained with, and what passages are sized for. */
const MAX_TOKENS = 512;
/** Precision of the weights, eight-bit integers, the smallest that most models offer; and what a folder then has. */
const DTYPE = 'q8';
const FILES = ['config.json', 'tokenizer.json', join('onnx', 'model_quantized.onnx')];
/** Texts per run. More gain nothing on a CPU and are padded to the longest of them. */
const BATCH_TEXTS = 16;
/** Hex digits of the digest in the id: 48 bits distinguish the models of one machine. */
const DIGEST_DIGITS = 12;

/**
 * Opens a model by its folder (`config.json`, `tokenizer.json`, `onnx/model_quantized.onnx`; no download) or by its
 * id on the Hugging Face hub. Texts are cut after 512 tokens; blank texts become zeros.
 *
 * Throws `MODEL_PACKAGE`, `MODEL_MISSING`, or `MODEL_OUTPUT` if the model gives no embeddings.
 */
export async function transformersEmbedder(
  model: string,
  options: TransformersOptions = {},
): Promise<Embedder> {
  const location = await locateModel(model);
  const family = familyOf(model);
  const network = await loadNetwork(model, location, family, options);
  const { dimensions } = await network.run(['a']);
  if (dimensions === 0)
    throw new ModelError('MODEL_OUTPUT', `The tokenizer of ${model} finds no tokens in "a".`);
  const usage = JSON.stringify([location.digest, family.query, family.passage, MAX_TOKENS]);
  const digest = createHash('sha256').update(usage).digest('hex').slice(0, DIGEST_DIGITS);
  return {
    id: `${location.name}:${DTYPE}:${family.pooling}@${digest}`,
    dimensions,
    multilingual: isMultilingual(model),
    embedPassages: (texts) => embedTexts(texts, family.passage, network, dimensions),
    embedQuery: (text) => embedTexts([text], family.query, network, dimensions),
  };
}

interface Embedded {
  /** `Float32Array[n × d]`. */
  readonly vectors: Float32Array;
  readonly dimensions: number;
}

interface Network {
  /** Vectors of non-blank texts. */
  run(texts: readonly string[]): Promise<Embedded>;
}

/** Texts in batches; blank ones become zeros. */
async function embedTexts(
  texts: readonly string[],
  prefix: string,
  network: Network,
  dimensions: number,
): Promise<Float32Array> {
  const out = new Float32Array(texts.length * dimensions);
  // Texts of similar length share a run, which keeps padding low.
  const order = [...texts.keys()].filter((at) => texts[at]!.trim() !== '');
  order.sort((a, b) => texts[a]!.length - texts[b]!.length);
  for (let from = 0; from < order.length; from += BATCH_TEXTS) {
    const batch = order.slice(from, from + BATCH_TEXTS);
    const { vectors } = await network.run(batch.map((at) => prefix + texts[at]!));
    batch.forEach((at, row) => {
      out.set(vectors.subarray(row * dimensions, (row + 1) * dimensions), at * dimensions);
    });
  }
  return out;
}

async function loadNetwork(
  model: string,
  { isLocal, path }: ModelLocation,
  { pooling }: ModelFamily,
  { downloads, onDownload }: TransformersOptions,
): Promise<Network> {
  const { AutoModel, AutoTokenizer, Tensor } = await transformers();
  const source = {
    local_files_only: isLocal,
    cache_dir: downloads,
    ...(onDownload !== undefined && !isLocal && { progress_callback: progress(onDownload) }),
  };
  const [tokenizer, network] = await Promise.all([
    AutoTokenizer.from_pretrained(path, source),
    AutoModel.from_pretrained(path, { ...source, dtype: DTYPE }),
  ]).catch((cause: unknown) => {
    throw notLoaded(model, cause);
  });
  return {
    async run(texts) {
      const inputs = tokenizer([...texts], { padding: true, truncation: true, max_length: MAX_TOKENS });
      const tokens = inputs.input_ids.dims[1] ?? 0;
      // Texts of characters that the tokenizer drops have no tokens.
      if (tokens === 0) return { vectors: new Float32Array(), dimensions: 0 };
      const output: Record<string, unknown> = await network(inputs);
      const whole = output.sentence_embedding;
      const result = whole instanceof Tensor ? whole : (output.last_hidden_state ?? output.token_embeddings);
      if (!(result instanceof Tensor) || result.dims[0] !== texts.length)
        throw new ModelError(
          'MODEL_OUTPUT',
          `The model ${model} returns ${Object.keys(output).join(', ')}, but no embeddings.`,
        );
      const dimensions = result.dims.at(-1)!;
      // A model that pools by itself returns one vector per text: pooling then only normalises it.
      const isPooled = result.dims.length === 2;
      const size = { texts: texts.length, tokens: isPooled ? 1 : tokens, dimensions };
      const mask = isPooled ? new Uint8Array(texts.length).fill(1) : inputs.attention_mask.data;
      const vectors = pooled({ values: floats(result), ...size }, mask, pooling);
      if (!vectors.every(Number.isFinite))
        throw new ModelError(
          'MODEL_OUTPUT',
          `The model ${model} returned NaN or Infinity: try another model.`,
        );
      return { vectors, dimensions };
    },
  };
}

const notLoaded = (model: string, cause: unknown) =>
  new ModelError(
    'MODEL_MISSING',
    `The model ${model} could not be loaded (${firstLineOf(cause)}). Check its name and the connection, or pass --embedder a folder with config.json, tokenizer.json and onnx/.`,
    { data: { model }, cause },
  );

const progress =
  (onDownload: NonNullable<TransformersOptions['onDownload']>) =>
  (step: { status: string; file?: string; loaded?: number; total?: number }): void => {
    if (step.status === 'progress') onDownload(step.file ?? '', (step.loaded ?? 0) / (step.total || 1));
  };

/** Why the package cannot be used on this machine, or null. */
export const whyNoTransformers = (): Promise<string | null> => transformers().then(() => null, errorMessage);

async function transformers() {
  try {
    const module = await import('@huggingface/transformers');
    module.env.logLevel = module.LogLevel.ERROR;
    return module;
  } catch (cause) {
    throw new ModelError(
      'MODEL_PACKAGE',
      `Models other than the shipped one need a package that does not load (${firstLineOf(cause)}): npm install @huggingface/transformers.`,
      { cause },
    );
  }
}

/** Some weights give half precision. */
function floats(tensor: Tensor): Float32Array {
  const { data } = tensor.type === 'float32' ? tensor : tensor.to('float32');
  if (!(data instanceof Float32Array))
    throw new ModelError('MODEL_OUTPUT', `The model returns ${tensor.type}, not floats.`);
  return data;
}

const firstLineOf = (error: unknown) => errorMessage(error).split('\n')[0]!;

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
async function locateModel(model: string): Promise<ModelLocation> {
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
  for (const file of FILES)
    if (!existsSync(join(folder, file)))
      throw new ModelError(
        'MODEL_MISSING',
        `The model in ${folder} has no ${file}. It contains ${contents(folder)}.`,
        {
          data: { folder, file },
        },
      );
  const hash = createHash('sha256');
  for (const file of FILES)
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
