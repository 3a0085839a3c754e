"""LSA table → contrastive table: two views of one skill against the other skills of the batch.

    python3 contrastive.py --corpus WORK/corpus.pkl --vocab WORK/vocab.txt --start WORK/lsa.npy --out WORK/contrastive.npy \\
        [--without HELD_REPOS] [--steps 1500 --seed 0]

Starts from the directions of LSA, with row lengths from the smooth inverse frequency (Arora, Liang, Ma 2017): the longest
rows dominate the mean of a text. Training then moves both.
"""
import argparse
import math
import pickle
import time

import numpy as np
import torch

from corpus import kept
from learner import Table, info_nce, near_duplicates
from table import unit
from tokens import WordPiece, read_vocab
from views import Skills, draw

SIF = 1e-3  # a of a / (a + p(token))
START_LENGTH = 1.6  # keeps the first steps of Adam small relative to the rows


def frequencies(skills, keep, size):
    count = np.zeros(size)
    for i in keep:
        for x in [skills.card[i]] + skills.bullets[i] + [t for _, _, t in skills.sections[i][:12]]:
            np.add.at(count, x, 1)
    return count / count.sum()


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ('corpus', 'vocab', 'start', 'out'):
        ap.add_argument(f'--{name}', required=True)
    ap.add_argument('--without', default='')
    ap.add_argument('--steps', type=int, default=1500)
    ap.add_argument('--batch', type=int, default=1024)
    ap.add_argument('--rate', type=float, default=.003)
    ap.add_argument('--scale', type=float, default=20)
    ap.add_argument('--seed', type=int, default=0)
    ap.add_argument('--threads', type=int, default=1)
    a = ap.parse_args()
    torch.set_num_threads(a.threads)
    torch.set_flush_denormal(True)  # second moments of rare rows underflow, and denormals are slow
    torch.manual_seed(a.seed)
    rng = np.random.default_rng(a.seed)
    with open(a.corpus, 'rb') as f:
        data = pickle.load(f)
    wordpiece = WordPiece(read_vocab(a.vocab))
    skills, keep = Skills(data, wordpiece), kept(data, a.without)
    p = frequencies(skills, keep, len(wordpiece))
    start = unit(np.load(a.start)) * START_LENGTH * (SIF / (SIF + p))[:, None]
    table = Table(start.astype('f4'))
    began, mean_loss = time.time(), None
    for step in range(a.steps):
        rate = a.rate * min(1, (step + 1) / 100) * (.49 * (1 + math.cos(math.pi * step / a.steps)) + .02)
        pairs = [draw(skills, i, rng) for i in rng.choice(keep, a.batch, replace=False)]
        pairs = [x for x in pairs if x]
        ids, leaf, (x, y) = table.gather([v for v, _ in pairs], [q for _, q in pairs])
        loss = info_nce(x, y, a.scale, near_duplicates(y), (256, (128, 64)[step % 2]))
        loss.backward()
        table.update(ids, leaf, rate)
        mean_loss = loss.item() if mean_loss is None else .98 * mean_loss + .02 * loss.item()
        if step % 250 == 249:
            print(step + 1, f'loss {mean_loss:.3f} {time.time() - began:.0f} s', flush=True)
    np.save(a.out, table.rows.numpy())


if __name__ == '__main__':
    main()
