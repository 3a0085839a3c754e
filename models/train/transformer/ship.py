"""Tuned network → the folder that transformers.js loads: int8 ONNX, tokenizer, config; and do ONNX and torch agree?

    python3 -m transformer.ship --pack WORK/pack.xz --weights WORK/run/tune.pt --out ../transformer

The graph is `model.py`'s: input_ids int64[batch × sequence] → last_hidden_state float32[batch × sequence × table].
Weights are int8 with one scale a column, the activations before each product uint8 with one scale a run
(DynamicQuantizeLinear → MatMulInteger), as ONNX Runtime's own dynamic quantisation has it; the table is `export.py`'s.
Rows of [PAD] and [UNK] come out as zeros, so the caller's mean over the tokens leaves them out.
"""
import argparse
import os
import sys

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper

from export import TOKENIZER_CONFIG, tokenizer, write
from fixture_texts import TEXTS
from table import quantise, unit
from tokens import UNK
from transformer import pack
from transformer.model import EPSILON, FAR, HEAD, load, pad

ID, LIMIT = 'skillgate-transformer', 25e6  # bytes of the ONNX file
COSINE = .98  # least agreement of a text's two vectors
REACH = 64  # of the int8 weights: 2 · 255 · 64 fits the int16 in which processors without VNNI add two products


class Graph:
    """Nodes and constants, each named by its number; every method gives the name of its output."""

    def __init__(self):
        self.nodes, self.constants = [], []

    def __call__(self, kind, *inputs, out=None, outputs=1, **attributes):
        names = [out or f'n{len(self.nodes)}'] if outputs == 1 else [f'n{len(self.nodes)}_{k}' for k in range(outputs)]
        self.nodes.append(h.make_node(kind, list(inputs), names, **attributes))
        return names[0] if outputs == 1 else names

    def constant(self, value, dtype='f4'):
        name = f'c{len(self.constants)}'
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value, dtype), name))
        return name

    def norm(self, x, weights, name):
        return self('LayerNormalization', x, *(self.constant(weights[f'{name}.{k}']) for k in ('weight', 'bias')),
                    axis=-1, epsilon=EPSILON)

    def linear(self, x, weights, name):
        q, scale = quantise(weights[f'{name}.weight'], REACH)  # torch keeps [out × in]: a row is a column here
        whole, step, zero = self('DynamicQuantizeLinear', x, outputs=3)
        y = self('Cast', self('MatMulInteger', whole, self.constant(q.T, 'i1'), zero), to=T.FLOAT)
        y = self('Mul', y, self('Mul', step, self.constant(scale)))
        bias = weights.get(f'{name}.bias')
        return y if bias is None else self('Add', y, self.constant(bias))


def build(weights, config):
    g, width = Graph(), config['width']
    q, scale = quantise(weights['table.weight'])
    rows = g('Cast', g('Gather', g.constant(q, 'i1'), 'input_ids'), to=T.FLOAT)
    rows = g('Mul', rows, g('Gather', g.constant(scale[:, None]), 'input_ids'))
    keep = g('Cast', g('Greater', 'input_ids', g.constant(UNK, 'i8')), to=T.FLOAT)
    gone = g('Sub', g.constant(1), keep)
    far = g('Mul', g('Unsqueeze', gone, g.constant([1, 2], 'i8')), g.constant(FAR))
    length = g('Gather', g('Shape', 'input_ids'), g.constant([1], 'i8'))
    places = g('Slice', g.constant(weights['position']), g.constant([0], 'i8'), length, g.constant([0], 'i8'))
    x = g.norm(g('Add', g.linear(g.norm(rows, weights, 'enter'), weights, 'up'), places), weights, 'norm')
    apart, together = g.constant([0, 0, -1, HEAD], 'i8'), g.constant([0, 0, width], 'i8')
    for k in range(config['layers']):
        at = f'layers.{k}'
        parts = g('Split', g.linear(x, weights, f'{at}.qkv'), g.constant([width] * 3, 'i8'), outputs=3, axis=-1)
        query, key, value = (g('Transpose', g('Reshape', p, apart), perm=perm)
                             for p, perm in zip(parts, ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3])))
        logits = g('Add', g('Mul', g('MatMul', query, key), g.constant(HEAD ** -.5)), far)
        mixed = g('Transpose', g('MatMul', g('Softmax', logits, axis=-1), value), perm=[0, 2, 1, 3])
        x = g.norm(g('Add', x, g.linear(g('Reshape', mixed, together), weights, f'{at}.out')), weights, f'{at}.norm1')
        wide = g.linear(x, weights, f'{at}.wide')
        erf = g('Add', g('Erf', g('Div', wide, g.constant(2 ** .5))), g.constant(1))  # in the form that ONNX Runtime fuses
        gelu = g('Mul', g('Mul', wide, erf), g.constant(.5))
        x = g.norm(g('Add', x, g.linear(gelu, weights, f'{at}.narrow')), weights, f'{at}.norm2')
    g('Mul', g('Add', rows, g.linear(x, weights, 'down')), g('Unsqueeze', keep, g.constant([2], 'i8')), out='last_hidden_state')
    ids = h.make_tensor_value_info('input_ids', T.INT64, ['batch', 'sequence'])
    out = h.make_tensor_value_info('last_hidden_state', T.FLOAT, ['batch', 'sequence', config['table']])
    model = h.make_model(h.make_graph(g.nodes, 'transformer', [ids], [out], g.constants),
                         opset_imports=[h.make_opsetid('', 17)], producer_name='skillgate')
    model.ir_version = 8
    onnx.checker.check_model(model)
    return model


def agreement(net, wordpiece, file):
    """→ float[texts]: cosine of the vectors that torch (float32) and ONNX Runtime give of each text, run in one batch."""
    import onnxruntime
    texts = [x for x in (np.array(wordpiece.encode(t)) for t in TEXTS) if (x > UNK).any()]
    session = onnxruntime.InferenceSession(file, providers=['CPUExecutionProvider'])
    tokens, = session.run(None, {'input_ids': pad(texts).numpy()})
    return (unit(tokens.sum(1)) * net.encode(texts)).sum(1)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('--weights', required=True)
    ap.add_argument('--pack', required=True, help='what it was trained on, for the vocabulary')
    ap.add_argument('--out', required=True)
    a = ap.parse_args()
    net = load(a.weights)
    wordpiece = pack.read(a.pack)[1]
    file = os.path.join(a.out, 'onnx', 'model_quantized.onnx')
    os.makedirs(os.path.dirname(file), exist_ok=True)
    onnx.save(build({k: v.float().cpu().numpy() for k, v in net.state_dict().items()}, net.config), file)
    write(os.path.join(a.out, 'tokenizer.json'), tokenizer(wordpiece.vocab))
    write(os.path.join(a.out, 'tokenizer_config.json'), TOKENIZER_CONFIG, indent=2)
    write(os.path.join(a.out, 'config.json'), {
        'model_type': 'bert', 'architectures': ['BertModel'], 'vocab_size': len(wordpiece), 'hidden_size': net.config['table'],
        'num_hidden_layers': net.config['layers'], 'skillgate': {'id': ID, 'pooling': 'mean', 'version': 1}}, indent=2)
    size, cosines = os.path.getsize(file), agreement(net, wordpiece, file)
    print(f'{size / 1e6:.1f} MB; cosine of ONNX and torch: least {cosines.min():.4f}, mean {cosines.mean():.4f}, {len(cosines)} texts')
    if size > LIMIT or cosines.min() < COSINE:
        sys.exit(f'Refused: more than {LIMIT / 1e6:.0f} MB, or a cosine under {COSINE}.')


if __name__ == '__main__':
    main()
