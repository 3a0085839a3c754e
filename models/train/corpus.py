"""Reads the interned corpus that `prepare.py` writes: bags of words, passages, and which skills are kept back.

Kept back for measuring: whole repositories, and one skill in ten of the written queries of the other repositories. A skill
of another repository that shares its name or its cluster of near-duplicates with one of theirs is usually a copy, so it is
kept back as well.
"""
import hashlib

import numpy as np
import scipy.sparse as sp


def bags(ids, start, width):
    """csr[items × width] of counts from a ragged list."""
    m = sp.csr_matrix((np.ones(len(ids), 'f4'), ids, start), shape=(len(start) - 1, width), copy=True)
    m.sum_duplicates()
    return m


def spans(data, size):
    """→ int array [chunks × 2] of segment ranges, in order: lines packed up to `size` characters inside one section."""
    chars = data['segment_chars'].tolist()
    bounds = [0, *(np.flatnonzero(np.diff(data['segment_section'])) + 1).tolist(), len(chars)]
    out = []
    for a, b in zip(bounds, bounds[1:]):
        start, total = a, 0
        for i in range(a, b):
            if total and total + chars[i] > size:
                out.append((start, i))
                start, total = i, 0
            total += chars[i]
        if start < b:
            out.append((start, b))
    return np.array(out, 'i8').reshape(-1, 2)


def chunk_bags(data, chunks):
    """→ (csr[chunks × types], skill of each chunk). A chunk is embedded as "name words › heading path\\n text"."""
    width = len(data['types'])
    ids, start = data['segment']
    first = data['segment_section'][chunks[:, 0]]
    owner = data['section_owner'][first]
    a, b = start[chunks[:, 0]], start[chunks[:, 1]]
    n = b - a
    at = np.concatenate([[0], np.cumsum(n)])
    index = np.repeat(a - at[:-1], n) + np.arange(at[-1])
    text = bags(ids.astype('i4')[index], at, width)
    return (text + bags(*data['name'], width)[owner] + bags(*data['path'], width)[first]).tocsr(), owner


def held(data, file):
    """→ bool[skills]: true where the skill, or a namesake or near-duplicate of it, is of a repository named in `file`."""
    skills = data['skills']
    if not file:
        return np.zeros(len(skills), bool)
    with open(file, encoding='utf-8') as f:
        repos = {line.strip() for line in f if line.strip()}
    own = np.array([s['repo'] in repos for s in skills])
    names = {s['name'].lower() for s, o in zip(skills, own) if o}
    clusters = {s['cluster'] for s, o in zip(skills, own) if o and s['cluster'] is not None}
    return np.array([o or s['name'].lower() in names or s['cluster'] in clusters for s, o in zip(skills, own)])


def kept(data, file):
    return np.flatnonzero(~held(data, file))


def tenth(skill_id):
    """True for one skill in ten, by its id alone."""
    return hashlib.sha256(skill_id.encode()).digest()[0] % 10 == 0
