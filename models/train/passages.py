"""Segments → chunks, as the gateway forms them: inside one section, lines packed up to `size` characters.

A chunk is embedded as "name words › heading path\\n text". `prefix` chooses what stands before the text.
"""
import numpy as np
import scipy.sparse as sp


def spans(data, size, overlap=0.0, merge=False):
    """→ int array [chunks × 2] of segment ranges, in order; a chunk never leaves its section.

    merge: short sections of one skill are packed together while they fit (the first one's path stands).
    """
    chars = data['segment_chars'].tolist()
    section = data['segment_section']
    group = data['section_owner'][section] if merge else section
    edges = np.flatnonzero(np.diff(group)) + 1
    bounds = np.concatenate([[0], edges, [len(group)]]).tolist()
    hard = None
    if merge:
        hard = set((np.flatnonzero(np.diff(section)) + 1).tolist())
    back = int(size * overlap)
    out = []
    for a, b in zip(bounds, bounds[1:]):
        i = start = a
        total = 0
        while i < b:
            if total and total + chars[i] > size:
                # with merge, prefer to end at a heading that lies in the second half of the chunk
                end = i
                if hard:
                    for j in range(i, start, -1):
                        if j in hard:
                            if sum(chars[start:j]) > size // 2:
                                end = j
                            break
                out.append((start, end))
                start, total, over = end, 0, 0
                while start - 1 > out[-1][0] and over + chars[start - 1] <= back:
                    start -= 1
                    over += chars[start]
                total = sum(chars[start:i])
                if total and total + chars[i] > size and start < i and end == i:
                    start, total = i, 0
            total += chars[i]
            i += 1
        if start < b:
            out.append((start, b))
    return np.array(out, 'i8').reshape(-1, 2)


def bags(ids, start, width):
    """csr[items × width] of counts from a ragged list."""
    m = sp.csr_matrix((np.ones(len(ids), 'f4'), ids, start), shape=(len(start) - 1, width), copy=True)
    m.sum_duplicates()
    return m


def chunk_bags(data, chunks, prefix='name+path'):
    """→ (csr[chunks × types], owner skill of each chunk)."""
    width = len(data['types'])
    ids, start = data['segment']
    ids = ids.astype('i4')
    first = data['segment_section'][chunks[:, 0]]
    owner = data['section_owner'][first]
    a, b = start[chunks[:, 0]], start[chunks[:, 1]]
    n = b - a
    at = np.concatenate([[0], np.cumsum(n)])
    index = np.repeat(a - at[:-1], n) + np.arange(at[-1])
    m = bags(ids[index], at, width)
    if 'name' in prefix:
        m = m + bags(*data['name'], width)[owner]
    if 'path' in prefix:
        m = m + bags(*data['path'], width)[first]
    return m.tocsr(), owner
