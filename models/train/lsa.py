"""Latent semantic analysis of the skills: the start of the table.

    python3 lsa.py --corpus WORK/corpus.pkl --vocab WORK/vocab.txt --out WORK/lsa.npy [--without HELD_REPOS]

A document is a skill: card, headings, bullets and the first lines of each section. Weights are log-tf · idf, rows have unit
length, and a randomised range finder gives the truncated SVD (Halko, Martinsson, Tropp 2011). The token's
vector is its right singular vector times the square root of the singular values.
"""
import argparse
import pickle
import time

import numpy as np
import scipy.sparse as sp

from corpus import bags, kept
from tokens import WordPiece, read_vocab

OPENING = 600  # characters of each section that count


def documents(data, keep):
    """csr[kept skills × types]."""
    width, n = len(data['types']), len(data['skills'])
    section = data['segment_section']
    first = np.searchsorted(section, np.arange(len(data['section_owner']) + 1))
    before = np.concatenate([[0], np.cumsum(data['segment_chars'])])
    inside = before[:-1] - before[first[section]]
    pick = np.flatnonzero((inside < OPENING) & ~data['segment_code'])
    seg = bags(*data['segment'], width)
    to_section = sp.csr_matrix((np.ones(len(pick), 'f4'), (section[pick], pick)), shape=(len(first) - 1, len(section)))
    sections = (to_section @ seg + bags(*data['heading'], width)).tocsr()
    owner = data['section_owner']
    to_skill = sp.csr_matrix((np.ones(len(owner), 'f4'), (owner, np.arange(len(owner)))), shape=(n, len(owner)))
    return (to_skill @ sections + bags(*data['card'], width)).tocsr()[keep]


def weigh(m, idf):
    m = m.copy()
    m.data = 1 + np.log(m.data)
    m = (m @ sp.diags(idf)).tocsr()
    norm = np.sqrt(np.asarray(m.multiply(m).sum(1)).ravel())
    return (sp.diags(1 / np.maximum(norm, 1e-6)) @ m).tocsr().astype('f4')


def svd(x, d, seed, rounds=2):
    rng = np.random.default_rng(seed)
    y = x @ rng.standard_normal((x.shape[1], d + 32)).astype('f4')
    xt = x.T.tocsr()
    for _ in range(rounds):
        y, _r = np.linalg.qr(y)
        z, _r = np.linalg.qr(xt @ y)
        y = x @ z
    q, _r = np.linalg.qr(y)
    u, s, vt = np.linalg.svd((xt @ q).T, full_matrices=False)
    return vt[:d].T.astype('f4'), s[:d].astype('f4')


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument('--corpus', required=True)
    ap.add_argument('--vocab', required=True)
    ap.add_argument('--without', default='')
    ap.add_argument('--dim', type=int, default=256)
    ap.add_argument('--seed', type=int, default=0)
    ap.add_argument('--out', required=True)
    a = ap.parse_args()
    began = time.time()
    with open(a.corpus, 'rb') as f:
        data = pickle.load(f)
    pieces = WordPiece(read_vocab(a.vocab)).matrix(data['types'])
    whole = (documents(data, kept(data, a.without)) @ pieces).tocsr()
    n = whole.shape[0]
    idf = np.log(n / (1 + np.asarray((whole > 0).sum(0)).ravel())).clip(0).astype('f4')
    x = weigh(whole, idf)
    v, s = svd(x, a.dim, a.seed)
    np.save(a.out, v * np.sqrt(s))
    print(x.shape, f'{x.nnz / 1e6:.1f} M entries', 'singular values', s[:3], s[-1], f'{time.time() - began:.0f} s')


if __name__ == '__main__':
    main()
