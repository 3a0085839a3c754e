"""The embedding table: float rows while training, int8 rows with one scale each when shipped."""
import json
import os

import numpy as np

from tokens import WordPiece, read_vocab


def quantise(table, reach=127):
    """float[V × d] → (int8[V × d] within ±reach, float32[V] scale); row ≈ int8 · scale. A zero row stays zero."""
    scale = np.abs(table).max(1) / reach
    scale[scale == 0] = 1e-8
    return np.clip(np.round(table / scale[:, None]), -reach, reach).astype('i1'), scale.astype('f4')


def dequantise(q, scale):
    return q.astype('f4') * scale[:, None]


def unit(x):
    """Rows to length 1; zero rows stay zero."""
    return x / np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), 1e-12)


def load(model, vocab=None):
    """A shipped model's folder, or a .npy table with its vocabulary → (float32[V × d] after int8, WordPiece)."""
    if os.path.isdir(model):
        import onnx
        from onnx import numpy_helper
        graph = onnx.load(os.path.join(model, 'onnx', 'model_quantized.onnx')).graph
        init = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
        with open(os.path.join(model, 'tokenizer.json'), encoding='utf-8') as f:
            ids = json.load(f)['model']['vocab']
        return dequantise(init['emb'], init['scale'].ravel()), WordPiece(sorted(ids, key=ids.get))
    return dequantise(*quantise(np.load(model).astype('f4'))), WordPiece(read_vocab(vocab))
