"""Hit@1, Hit@5, nDCG@10 (gain 2^grade − 1) over a dense matrix of scores. Ties go to the lower column."""
import numpy as np


def top(scores, k=10):
    near = np.argpartition(-scores, k - 1, axis=1)[:, :k]
    near.sort(axis=1)
    order = np.argsort(-np.take_along_axis(scores, near, 1), axis=1, kind='stable')
    return np.take_along_axis(near, order, 1)


def per_query(scores, judged, hit):
    """judged: per query {column: grade}; hit: the least grade that counts as one. → float[queries × 3]."""
    discount = 1 / np.log2(np.arange(2, 12))
    out = []
    for row, grades in zip(top(scores), judged):
        g = np.array([grades.get(int(i), 0) for i in row], 'f8')
        best = np.sort(np.array(list(grades.values()), 'f8'))[::-1][:10]
        ideal = ((2 ** best - 1) * discount[:len(best)]).sum()
        out.append(((g[0] >= hit), (g[:5] >= hit).any(), ((2 ** g - 1) * discount).sum() / ideal))
    return np.array(out, 'f8')


def summary(rows):
    return ' / '.join(f'{100 * x:.1f}' for x in rows.mean(0))


def interval(rows, rounds=10_000, seed=1):
    """Bootstrap 95 % interval of each column's mean, over queries (percentiles). → float[2 × columns]"""
    rng = np.random.default_rng(seed)
    # How often each query is drawn is all that a mean needs of a drawing.
    drawn = rng.multinomial(len(rows), np.full(len(rows), 1 / len(rows)), rounds)
    return np.percentile(drawn @ rows / len(rows), (2.5, 97.5), axis=0)


def with_interval(rows):
    """Hit@1 and nDCG@10 with their intervals."""
    low, high = 100 * interval(rows)
    return ', '.join(f'{name} {low[i]:.1f} … {high[i]:.1f}' for i, name in ((0, 'Hit@1'), (2, 'nDCG@10')))
