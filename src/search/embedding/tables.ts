/**
 * Reads the int8 table of a static model from its ONNX file. An ONNX model is a protobuf message that contains the
 * two tensors as raw bytes: walking its fields finds them without an ONNX library. Message and field numbers:
 * onnx/onnx.proto3 (ModelProto, GraphProto, TensorProto).
 */

import { ModelError } from './errors.ts';

/** Rows of int8: component i of token t is `values[t × d + i] × scales[t]`. */
export interface EmbeddingTable {
  readonly rows: number;
  readonly dimensions: number;
  /** Writes the values of one row to `values`: `Int8Array[d]`. May throw `ModelError`. */
  readonly readRow: (row: number, values: Int8Array) => void;
  /** `Float32Array[rows]`. */
  readonly scales: Float32Array;
}

/** A table inside the bytes of its file. */
export interface TableInFile extends EmbeddingTable {
  /** Views into the file's bytes. */
  readonly values: Int8Array;
  readonly scaleBytes: Uint8Array;
}

const MODEL_GRAPH = 7;
const GRAPH_INITIALIZER = 5;
const TENSOR_DIMS = 1;
const TENSOR_DATA_TYPE = 2;
const TENSOR_NAME = 8;
const TENSOR_RAW_DATA = 9;
/** TensorProto.DataType. */
const FLOAT = 1;
const INT8 = 3;

interface Tensor {
  readonly dims: readonly number[];
  readonly dataType: number;
  readonly raw: Uint8Array;
}

/**
 * Reads the initialisers `emb` (int8, rows × d) and `scale` (float32, rows × 1). Throws `MODEL_INVALID` if the file
 * is damaged or holds another kind of model.
 */
export function readEmbeddingTable(file: Uint8Array): TableInFile {
  const tensors = initialisers(file);
  const table = tensors.get('emb');
  const scale = tensors.get('scale');
  if (table === undefined || scale === undefined)
    throw invalid('it has no tensors "emb" and "scale": it may be another kind of model');
  const [rows = 0, dimensions = 0, ...more] = table.dims;
  if (
    table.dataType !== INT8 ||
    more.length > 0 ||
    table.raw.length !== rows * dimensions ||
    table.raw.length === 0
  )
    throw invalid(
      `"emb" is not a table of int8 (type ${table.dataType}, ${table.dims.join(' × ')}, ${table.raw.length} bytes)`,
    );
  const fits =
    scale.dims.reduce((product, dim) => product * dim, 1) === rows && scale.raw.length === 4 * rows;
  if (scale.dataType !== FLOAT || !fits)
    throw invalid(
      `"scale" is not float32 for each of ${rows} rows (type ${scale.dataType}, ${scale.dims.join(' × ')})`,
    );
  // Copied, because it may not begin at a multiple of four.
  const scales = new Float32Array(scale.raw.slice().buffer);
  if (!scales.every(Number.isFinite)) throw invalid('"scale" contains NaN or Infinity');
  const values = new Int8Array(table.raw.buffer, table.raw.byteOffset, table.raw.length);
  return {
    rows,
    dimensions,
    values,
    scales,
    scaleBytes: scale.raw,
    readRow: (row, target) => target.set(values.subarray(row * dimensions, (row + 1) * dimensions)),
  };
}

function initialisers(file: Uint8Array): Map<string, Tensor> {
  const tensors = new Map<string, Tensor>();
  for (const model of fields(file)) {
    if (model.number !== MODEL_GRAPH) continue;
    for (const graph of fields(model.bytes)) {
      if (graph.number !== GRAPH_INITIALIZER) continue;
      const dims: number[] = [];
      let dataType = 0;
      let name = '';
      let raw = new Uint8Array();
      for (const { number, value, bytes } of fields(graph.bytes)) {
        if (number === TENSOR_DIMS) dims.push(...(bytes.length > 0 ? packed(bytes) : [value]));
        else if (number === TENSOR_DATA_TYPE) dataType = value;
        else if (number === TENSOR_NAME) name = new TextDecoder().decode(bytes);
        else if (number === TENSOR_RAW_DATA) raw = bytes;
      }
      tensors.set(name, { dims, dataType, raw });
    }
  }
  return tensors;
}

interface Field {
  readonly number: number;
  /** Of a number; else 0. */
  readonly value: number;
  /** Of a message, text or packed list; else empty. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The fields of one protobuf message, in order. Encoding: protobuf.dev/programming-guides/encoding. */
function* fields(message: Uint8Array): Generator<Field> {
  let at = 0;
  const take = (length: number) => {
    if (length > message.length - at) throw invalid('it ends in the middle of a field');
    at += length;
    // Node's file buffers are plain memory, never shared.
    return new Uint8Array(message.buffer as ArrayBuffer, message.byteOffset + at - length, length);
  };
  const varint = () => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const [byte] = take(1);
      value += (byte! & 127) * factor;
      if (byte! < 128) return value;
      if (factor > Number.MAX_SAFE_INTEGER) throw invalid('a number is too long');
    }
  };
  while (at < message.length) {
    const key = varint();
    const number = Math.floor(key / 8);
    const wire = key % 8;
    if (wire === 0) yield { number, value: varint(), bytes: new Uint8Array() };
    else if (wire === 1) yield { number, value: 0, bytes: take(8) };
    else if (wire === 2) yield { number, value: 0, bytes: take(varint()) };
    else if (wire === 5) yield { number, value: 0, bytes: take(4) };
    else throw invalid(`a field has the unknown wire type ${wire}`);
  }
}

/** Varints back to back. */
function packed(bytes: Uint8Array): number[] {
  const values: number[] = [];
  let value = 0;
  let factor = 1;
  for (const byte of bytes) {
    value += (byte & 127) * factor;
    factor *= 128;
    if (byte >= 128) continue;
    values.push(value);
    value = 0;
    factor = 1;
  }
  return values;
}

function invalid(what: string): ModelError {
  return new ModelError('MODEL_INVALID', `The ONNX file cannot be used: ${what}.`);
}
