/**
 * Text → vector, through one port (`Embedder`).
 *
 * The shipped model is a static table of token vectors (int8, read from its ONNX file, no native code): the vector of a text is
 * the mean of its tokens' vectors. The build prepares it for a fast start (`prepared.ts`). A transformers.js model takes its place
 * through the same port.
 */

export { openEmbedder } from './open.ts';
