"""How well does the network find skills, alone and with BM25F? The measures of `evaluate.py` on the packed collections.

    python3 -m transformer.judge --pack WORK/pack.xz --weights WORK/run/tune.pt [--only dev]

Without --weights the static table of the pack is judged, in the same way: the figure to beat.
"""
import argparse

import numpy as np

import passages
from evaluate import MERGE, OVERLAP, SIZE, Bench, report
from tokens import UNK
from transformer import model, pack
from views import ragged


class Packed(Bench):
    """Passages as sequences of pieces; a network takes the place of the table."""

    def __init__(self, data):
        self.data, self.collections, self.lexical = data, data['collections'], data['lexical']
        chunks = passages.spans(data, SIZE, OVERLAP, MERGE)
        section = data['segment_section'][chunks[:, 0]]
        self.owner = data['section_owner'][section]
        self.cards, names, paths = (ragged(data[k]) for k in ('card', 'name', 'path'))
        ids, start = data['segment']
        self.chunks = [np.concatenate([names[o], paths[s], ids[start[a]:start[b]]])
                       for o, s, (a, b) in zip(self.owner, section, chunks)]

    def vectors(self, net, wordpiece):
        return net.encode(self.cards), net.encode(self.chunks)

    def queries(self, texts, net, wordpiece):
        return net.encode([[i for i in wordpiece.encode(t) if i != UNK] for t in texts])


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('--pack', required=True)
    ap.add_argument('--weights')
    ap.add_argument('--only', nargs='*', help='names of the collections')
    a = ap.parse_args()
    data, wordpiece = pack.read(a.pack)
    if a.only:
        data['collections'] = [c for c in data['collections'] if c.name in a.only]
    net = model.load(a.weights) if a.weights else model.start(data['start'], layers=0, width=64)
    report(Packed(data), net, wordpiece)


if __name__ == '__main__':
    main()
