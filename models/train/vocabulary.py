"""Interned corpus → WordPiece vocabulary: characters, whole words by document frequency, then suffix pieces.

    python3 vocabulary.py --corpus WORK/corpus.pkl --size 32768 --out WORK/vocab.txt [--without HELD_REPOS]

Four fifths of the room go to whole words: a mean of token vectors keeps a whole word's meaning and loses that
of pieces. The rest are pieces merged (byte-pair fashion) over the words that did not get in.
"""
import argparse
import collections
import heapq
import pickle

import numpy as np
import scipy.sparse as sp

from corpus import bags, kept
from tokens import SPECIAL

COUNTED = 3  # a word counts at most this often in one skill, so that no long file decides


def skill_counts(data, keep, seg_limit=60):
    """→ (document frequency, capped count) of each type over the kept skills; code lines after the first are left out."""
    width, n = len(data['types']), len(data['skills'])
    owner = data['section_owner'][data['segment_section']]
    # the first `seg_limit` lines of each skill: the rest is examples and tables
    first = np.searchsorted(owner, np.arange(n))
    near = np.arange(len(owner)) - first[owner] < seg_limit
    pick = np.flatnonzero(near)
    gather = sp.csr_matrix((np.ones(len(pick), 'f4'), (owner[pick], pick)), shape=(n, len(owner)))
    m = bags(*data['card'], width) + gather @ bags(*data['segment'], width)
    m = m.tocsr()[keep]
    df = np.asarray((m > 0).sum(0)).ravel()
    m.data = np.minimum(m.data, COUNTED)
    return df, np.asarray(m.sum(0)).ravel()


def suffix_pieces(types, counts, have, room):
    """Most useful merges over the words of `types`, until `room` new pieces are found."""
    split_words = [[w[0]] + ['##' + c for c in w[1:]] for w in types]
    pairs, where = collections.Counter(), collections.defaultdict(set)
    for i, w in enumerate(split_words):
        for p in zip(w, w[1:]):
            pairs[p] += counts[i]
            where[p].add(i)
    heap = [(-c, p) for p, c in pairs.items()]
    heapq.heapify(heap)
    out = []
    while len(out) < room and heap:
        c, p = heapq.heappop(heap)
        if pairs.get(p, 0) != -c:
            if pairs.get(p, 0) > 0:
                heapq.heappush(heap, (-pairs[p], p))
            continue
        merged = p[0] + p[1][2:]
        if merged not in have:
            out.append(merged)
            have.add(merged)
        changed = set()
        for i in sorted(where[p]):
            old, new, j = split_words[i], [], 0
            for q in zip(old, old[1:]):
                pairs[q] -= counts[i]
                changed.add(q)
            while j < len(old):
                if j + 1 < len(old) and (old[j], old[j + 1]) == p:
                    new.append(merged)
                    j += 2
                else:
                    new.append(old[j])
                    j += 1
            split_words[i] = new
            for q in zip(new, new[1:]):
                pairs[q] += counts[i]
                where[q].add(i)
                changed.add(q)
        pairs.pop(p, None)
        for q in changed:
            if q != p and pairs.get(q, 0) > 0:
                heapq.heappush(heap, (-pairs[q], q))
    return out


def build(types, df, counts, size):
    chars = collections.Counter()
    for w, c in zip(types, counts):
        if c:
            for ch in set(w):
                chars[ch] += int(c)
    # every Latin, Greek and Cyrillic letter that occurs, and of the rest (CJK, symbols) what occurs often enough
    alphabet = sorted(c for c, k in chars.items() if (ord(c) < 0x500 and k >= 3) or k > 40)
    vocab = SPECIAL + alphabet + ['##' + c for c in alphabet if not 0x3400 <= ord(c) <= 0x9FFF]
    have = set(vocab)
    order = np.argsort(-df, kind='stable')
    room = int((size - len(vocab)) * .8)
    whole = []
    for i in order:
        w = types[i]
        if len(whole) == room or df[i] < 2:
            break
        if len(w) > 1 and w.isalnum() and w not in have:
            whole.append(w)
            have.add(w)
    vocab += whole
    rest = [i for i, w in enumerate(types) if counts[i] >= 3 and w not in have and w.isalnum() and len(w) <= 24]
    vocab += suffix_pieces([types[i] for i in rest], [int(counts[i]) for i in rest], have, size - len(vocab))
    return vocab


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument('--corpus', required=True)
    ap.add_argument('--size', type=int, default=32768)
    ap.add_argument('--without', default='', help='file of repositories to leave out')
    ap.add_argument('--out', required=True)
    a = ap.parse_args()
    with open(a.corpus, 'rb') as f:
        data = pickle.load(f)
    df, counts = skill_counts(data, kept(data, a.without))
    vocab = build(data['types'], df, counts, a.size)
    with open(a.out, 'w', encoding='utf-8') as f:
        f.write('\n'.join(vocab))
    covered = set(vocab)
    print(len(vocab), 'pieces; share of words whole:',
          round(sum(c for w, c in zip(data['types'], counts) if w in covered) / counts.sum(), 4))


if __name__ == '__main__':
    main()
