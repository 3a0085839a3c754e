"""How well a table finds skills, alone and with BM25F, over the whole catalog.

    python3 evaluate.py --corpus WORK/corpus.pkl --model ../static --beir DATA/dev DATA/skill-evals \\
        [--queries queries/*.jsonl --without held-repositories.txt] [--cache WORK]

Figures are Hit@1 / Hit@5 / nDCG@10, those of the table alone and with words at equal weight with their bootstrap 95 %
intervals over the queries. `dev` counts a hit from grade 3; queries of `skill-evals` that contain the
skill's name are left out. Written queries (--queries) are scored in two lots: `held` (skills of the repositories
kept back) and `tenth` (one skill in ten of the other repositories); they mean something only for a model trained
without them. There a namesake with the same description counts as the skill itself.
"""
import argparse
import collections
import csv
import hashlib
import json
import os
import pickle

import numpy as np

from bm25f import BM25F
from corpus import bags, chunk_bags, held, spans, tenth
from table import load, unit

SIZE = 1000  # characters of a chunk, as the gateway forms them
WEIGHTS = (.4, .3, .3)  # card, best chunk, mean chunk
DENSE_SHARE = (.3, .4, .5, .6)
WITH_INTERVAL = ('tri', 'tri hybrid 0.5')  # the table alone, and with words at equal weight


# Hit@1, Hit@5 and nDCG@10 (gain 2^grade − 1) over a dense matrix of scores; ties go to the lower column.

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
    # A mean only needs to know how often each query is drawn.
    drawn = rng.multinomial(len(rows), np.full(len(rows), 1 / len(rows)), rounds)
    return np.percentile(drawn @ rows / len(rows), (2.5, 97.5), axis=0)


def with_interval(rows):
    """Hit@1 and nDCG@10 with their intervals."""
    low, high = 100 * interval(rows)
    return ', '.join(f'{name} {low[i]:.1f} … {high[i]:.1f}' for i, name in ((0, 'Hit@1'), (2, 'nDCG@10')))


class Collection:
    def __init__(self, name, texts, styles, judged, hit):
        self.name, self.texts, self.styles, self.judged, self.hit = name, texts, np.array(styles), judged, hit


def read_beir(folder, position):
    name = os.path.basename(os.path.normpath(folder))
    judged = collections.defaultdict(dict)
    with open(os.path.join(folder, 'qrels.tsv'), encoding='utf-8') as f:
        for r in csv.DictReader(f, delimiter='\t'):
            if r['corpus-id'] in position and int(r['score']) > 0:
                judged[r['query-id']][position[r['corpus-id']]] = int(r['score'])
    with open(os.path.join(folder, 'queries.jsonl'), encoding='utf-8') as f:
        queries = [json.loads(line) for line in f]
    queries = [q for q in queries if not q.get('names_skill') and judged[q['_id']]]
    graded = any('style' in q for q in queries)
    styles = [q['style'] if graded else q.get('source', '') for q in queries]
    return Collection(name, [q['text'] for q in queries], styles, [judged[q['_id']] for q in queries], 3 if graded else 1)


def read_written(files, data, without, limit=900):
    position = {s['id']: i for i, s in enumerate(data['skills'])}
    ids, start = data['card']
    twins = collections.defaultdict(list)
    for i in range(len(data['skills'])):
        twins[ids[start[i]:start[i + 1]].tobytes()].append(i)
    out_of = held(data, without)
    lots = {'held': [], 'tenth': []}
    for file in files:
        with open(file, encoding='utf-8') as f:
            for q in map(json.loads, f):
                n = position[q['skill']]
                if out_of[n]:
                    lots['held'].append((n, q))
                elif tenth(q['skill']):
                    lots['tenth'].append((n, q))
    out = []
    for name, lot in lots.items():
        lot = sorted(lot, key=lambda x: hashlib.sha256(x[1]['query'].encode()).digest())[:limit]  # the same ones each time
        judged = [{t: 1 for t in twins[ids[start[n]:start[n + 1]].tobytes()]} for n, _ in lot]
        out.append(Collection(name, [q['query'] for _, q in lot], [q['style'] for _, q in lot], judged, 1))
    return out


class Bench:
    """What does not depend on the table: passages as bags of words, the lexical scores, the collections."""

    def __init__(self, data, collections_, cache=''):
        self.data, self.collections = data, collections_
        self.chunks, self.owner = chunk_bags(data, spans(data, SIZE))
        self.cards = bags(*data['card'], len(data['types']))
        self.pieces = None
        file = os.path.join(cache, 'bm25f.pkl') if cache else ''
        known = pickle.load(open(file, 'rb')) if file and os.path.exists(file) else {}
        missing = [c for c in collections_ if known.get(c.name, ([],))[0] != c.texts]
        if missing:
            lexical = BM25F(data)
            for c in missing:
                known[c.name] = (c.texts, lexical.search(c.texts))
            if file:
                pickle.dump(known, open(file, 'wb'), 4)
        self.lexical = {c.name: known[c.name][1] for c in collections_}

    def vocabulary(self, wordpiece):
        if self.pieces is None or self.pieces[0] != wordpiece.vocab:
            m = wordpiece.matrix(self.data['types'])
            self.pieces = (wordpiece.vocab, (self.cards @ m).tocsr(), (self.chunks @ m).tocsr())
        return self.pieces[1:]

    def vectors(self, table, wordpiece):
        """→ unit vectors of the cards and of the chunks."""
        cards, chunks = self.vocabulary(wordpiece)
        return unit(cards @ table), unit(chunks @ table)

    def embed(self, table, wordpiece):
        c, b = self.vectors(table, wordpiece)
        n = len(c)
        mean = np.zeros_like(c)
        starts = np.searchsorted(self.owner, np.arange(n + 1))
        full = np.flatnonzero(np.diff(starts))
        mean[full] = np.add.reduceat(b, starts[full], axis=0)
        empty = np.setdiff1d(np.arange(n), full)
        mean[empty] = c[empty]
        return c, b, unit(mean), starts, full

    def queries(self, texts, table, wordpiece):
        return unit(np.stack([table[[i for i in wordpiece.encode(t) if i != 1] or [0]].sum(0) for t in texts]))

    def dense(self, collection, table, wordpiece, passages_):
        """→ three float32[queries × skills]: card, best chunk, mean chunk."""
        c, b, mean, starts, full = passages_
        q = self.queries(collection.texts, table, wordpiece)
        card, avg = q @ c.T, q @ mean.T
        best = card.copy()
        step = 64
        for i in range(0, len(q), step):
            s = q[i:i + step] @ b.T
            best[i:i + step, full] = np.maximum.reduceat(s, starts[full], axis=1)
        return card, best, avg


def normal(s):
    low, high = s.min(1, keepdims=True), s.max(1, keepdims=True)
    return (s - low) / np.maximum(high - low, 1e-9)


def blend(lexical, dense, share):
    return (1 - share) * lexical / np.maximum(lexical.max(1, keepdims=True), 1e-9) + share * normal(dense)


def score(bench, table, wordpiece):
    """→ {collection: {system: float[queries × 3]}}"""
    emb = bench.embed(table, wordpiece)
    out = {}
    for c in bench.collections:
        card, best, mean = bench.dense(c, table, wordpiece, emb)
        lexical = bench.lexical[c.name]
        systems = {'bm25f': lexical}
        for label, dense in (('card', card), ('card+mean', .5 * card + .5 * mean),
                             ('tri', WEIGHTS[0] * card + WEIGHTS[1] * best + WEIGHTS[2] * mean)):
            systems[label] = dense
            for share in DENSE_SHARE if label == 'tri' else (.5,):
                systems[f'{label} hybrid {share}'] = blend(lexical, dense, share)
        out[c.name] = {k: per_query(s, c.judged, c.hit) for k, s in systems.items()}
    return out


def report(bench, table, wordpiece):
    result = score(bench, table, wordpiece)
    for c in bench.collections:
        print(f'{c.name} ({len(c.texts)})')
        for system, rows in result[c.name].items():
            between = f'  95 %: {with_interval(rows)}' if system in WITH_INTERVAL else ''
            print(f'  {system:18} {summary(rows)}{between}')
        for style in sorted(set(c.styles)):
            pick = c.styles == style
            print(f'    {style} ({pick.sum()}): bm25f {summary(result[c.name]["bm25f"][pick])}; dense '
                  f'{summary(result[c.name]["tri"][pick])}; hybrid {summary(result[c.name]["tri hybrid 0.5"][pick])}')


def open_bench(corpus, beir, written=(), without='', cache=''):
    with open(corpus, 'rb') as f:
        data = pickle.load(f)
    position = {s['id']: i for i, s in enumerate(data['skills'])}
    sets = [read_beir(b, position) for b in beir]
    if written:
        sets += read_written(written, data, without)
    return Bench(data, sets, cache)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('--corpus', required=True)
    ap.add_argument('--model', required=True, help='folder of a shipped model, or a .npy table')
    ap.add_argument('--vocab', help='vocabulary of a .npy table')
    ap.add_argument('--beir', nargs='*', default=[])
    ap.add_argument('--queries', nargs='*', default=[])
    ap.add_argument('--without', default='')
    ap.add_argument('--cache', default='')
    a = ap.parse_args()
    report(open_bench(a.corpus, a.beir, a.queries, a.without, a.cache), *load(a.model, a.vocab))


if __name__ == '__main__':
    main()
