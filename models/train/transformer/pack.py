"""Corpus, documentation pairs and judged queries → one file that travels to a lent machine.

    python3 -m transformer.pack --corpus WORK/corpus.pkl --start ../static --pairs DATA/train/pairs.jsonl.xz --out WORK/pack.xz \\
        --beir DATA/dev DATA/skill-evals [--queries queries/*.jsonl --without held-repositories.txt] [--cache WORK]

Words become pieces, two bytes each, under LZMA. The packed corpus has the form of `prepare.py`'s with the vocabulary as
its words, so that all that reads the one reads the other; what needs real words, BM25F, is scored here and the best
LEXICAL skills of each query go along.
"""
import argparse
import json
import lzma
import os
import pickle

import numpy as np

from evaluate import open_bench
from measures import top
from table import load as load_table
from table import dequantise, quantise
from tokens import UNK, WordPiece
from views import Pieces

SHIPPED = os.path.join(os.path.dirname(__file__), '..', '..', 'static')  # travels with the repository
LEXICAL = 1000  # skills a query keeps its BM25F score of; the others count as 0
ASK, ANSWER = 48, 160  # pieces that a pair keeps of its heading and its passage
RAGGED = ('name', 'card', 'segment', 'path', 'heading', 'bullet', 'sentence', 'reference')
PLAIN = ('section_owner', 'bullet_owner', 'sentence_owner', 'reference_owner', 'segment_section', 'segment_chars')
FILTER = [{'id': lzma.FILTER_LZMA2, 'preset': 6, 'dict_size': 1 << 26, 'lc': 3, 'lp': 1, 'pb': 1}]  # items of two bytes


def narrow(x):
    """Integers → (is it a running sum, its steps or itself in the least width)."""
    steps = np.diff(x, prepend=0)
    rising = bool((steps >= 0).all())
    x = steps if rising else x
    return rising, x.astype(np.min_scalar_type(int(x.max(initial=0))))


def widen(packed):
    rising, x = packed
    return np.cumsum(x, dtype='i8') if rising else x.astype('i8')


def ragged(lists):
    start = np.concatenate([[0], np.cumsum([len(x) for x in lists])])
    return np.concatenate(lists).astype('u2'), narrow(start)


def pairs(file, wordpiece, limit):
    """→ ragged headings, ragged passages: the first `limit` of the file in an order drawn once."""
    opener = lzma.open if file.endswith('.xz') else open
    with opener(file, 'rt', encoding='utf-8') as f:
        lines = f.readlines()
    out = [], []
    for i in np.random.default_rng(0).permutation(len(lines))[:limit]:
        pair = json.loads(lines[i])
        texts = [np.array([p for p in wordpiece.encode(pair[k]) if p != UNK][:n], 'u2')
                 for k, n in (('query', ASK), ('positive', ANSWER))]
        if min(map(len, texts)) > 1:
            for side, text in zip(out, texts):
                side.append(text)
    return map(ragged, out)


def best(scores):
    """float[queries × skills] → the LEXICAL best of each query and their scores, of which only the ratio is kept."""
    ids = top(scores, min(LEXICAL, scores.shape[1]))
    scores = np.take_along_axis(scores, ids, 1)
    return ids.astype('u2'), np.round(scores / np.maximum(scores[:, :1], 1e-9) * 65535).astype('u2')


def read(file):
    """A packed corpus → (data as of prepare.py and more, its WordPiece).

    More: `ask`, `answer` (ragged pairs), `start` (float32[V × d]), `collections`, `lexical` {name: float32[queries × skills]}.
    """
    with lzma.open(file) as f:
        data = pickle.load(f)
    for k in (*RAGGED, 'ask', 'answer'):
        data[k] = data[k][0], widen(data[k][1])
    for k in PLAIN:
        data[k] = widen(data[k])
    data['start'] = dequantise(*data['start']) if data['start'] else load_table(SHIPPED)[0]
    if len(data['start']) != len(data['types']):
        raise SystemExit(f'{file} was packed for another model than {SHIPPED}: pack it again.')
    for name, (ids, scores) in data['lexical'].items():
        full = np.zeros((len(ids), len(data['skills'])), 'f4')
        np.put_along_axis(full, ids.astype('i8'), scores.astype('f4'), 1)
        data['lexical'][name] = full
    wordpiece = WordPiece(data['types'])
    wordpiece.cache = {piece: [i] for i, piece in enumerate(data['types'])}  # a piece is itself, "##ing" too
    return data, wordpiece


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ('corpus', 'start', 'pairs', 'out'):
        ap.add_argument(f'--{name}', required=True)
    ap.add_argument('--vocab', help='vocabulary, where --start is a .npy table')
    ap.add_argument('--most-pairs', type=int, default=120_000, help='what fits into 64 MiB beside the rest')
    ap.add_argument('--beir', nargs='*', default=[])
    ap.add_argument('--queries', nargs='*', default=[])
    ap.add_argument('--without', default='')
    ap.add_argument('--cache', default='')
    a = ap.parse_args()
    table, wordpiece = load_table(a.start, a.vocab)
    bench = open_bench(a.corpus, a.beir, a.queries, a.without, a.cache)
    data = bench.data
    pieces = Pieces(wordpiece, data['types'])
    out = {'types': wordpiece.vocab, 'skills': data['skills'], 'collections': bench.collections,
           'start': None if os.path.samefile(a.start, SHIPPED) else quantise(table),
           'lexical': {name: best(scores) for name, scores in bench.lexical.items()}}
    for k in RAGGED:
        flat, start = pieces(*data[k])
        out[k] = flat.astype('u2'), narrow(start)
    for k in PLAIN:
        out[k] = narrow(data[k])
    out['ask'], out['answer'] = pairs(a.pairs, wordpiece, a.most_pairs)
    with lzma.open(a.out, 'wb', filters=FILTER) as f:
        pickle.dump(out, f, 4)
    size = {k: len(out[k][0]) / 1e6 for k in ('card', 'segment', 'ask', 'answer')}
    print(', '.join(f'{k} {n:.1f} M pieces' for k, n in size.items()), f'→ {os.path.getsize(a.out) / 2**20:.1f} MiB')


if __name__ == '__main__':
    main()
