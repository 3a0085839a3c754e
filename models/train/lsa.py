"""Latent semantic analysis of the skills: the start of the table.

    python3 lsa.py --corpus WORK/corpus.pkl --vocab WORK/vocab.txt --out WORK/lsa.npy [--without HELD_REPOS]

Documents are skills (card, headings, bullets, first lines of each section) and, beside them, single cards and sections;
log-tf · idf, rows of unit length, truncated SVD by the randomised range finder (Halko, Martinsson, Tropp 2011).
The token's vector is its right singular vector times the square root of the singular values.
"""
import argparse
import pickle
import time

import numpy as np
import scipy.sparse as sp

from passages import bags
from split import kept
from tokens import WordPiece, read_vocab

OPENING = 600  # characters of each section that count


def documents(data, keep):
    """csr[documents × types]: one whole-skill document per kept skill, and one per section of at least 12 words."""
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
    whole = (to_skill @ sections + bags(*data['card'], width)).tocsr()[keep]
    inkeep = np.zeros(n, bool)
    inkeep[keep] = True
    size = np.asarray(sections.sum(1)).ravel()
    good = np.flatnonzero((size >= 12) & inkeep[owner])
    return whole, sections[good]


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
    ap.add_argument('--section-share', type=float, default=0.0, help='weight of the section documents beside the whole ones')
    ap.add_argument('--out', required=True)
    a = ap.parse_args()
    began = time.time()
    with open(a.corpus, 'rb') as f:
        data = pickle.load(f)
    pieces = WordPiece(read_vocab(a.vocab)).matrix(data['types'])
    whole, parts = documents(data, kept(data, a.without))
    whole = (whole @ pieces).tocsr()
    n = whole.shape[0]
    idf = np.log(n / (1 + np.asarray((whole > 0).sum(0)).ravel())).clip(0).astype('f4')
    x = weigh(whole, idf)
    if a.section_share:
        p = weigh((parts @ pieces).tocsr(), idf)
        x = sp.vstack([x, p * np.float32(np.sqrt(a.section_share * n / p.shape[0]))]).tocsr()
    v, s = svd(x, a.dim, a.seed)
    np.save(a.out, v * np.sqrt(s))
    print(x.shape, f'{x.nnz / 1e6:.1f} M entries', 'singular values', s[:3], s[-1], f'{time.time() - began:.0f} s')


if __name__ == '__main__':
    main()
