"""Contrastive table → table tuned on written queries: each query against every skill of the catalog.

    python3 finetune.py --corpus WORK/corpus.pkl --vocab WORK/vocab.txt --start WORK/contrastive.npy --out WORK/tuned.npy \\
        --queries queries/*.jsonl [--without HELD_REPOS] [--steps 500 --seed 0]

The loss is a softmax over the skills of the batch, embedded afresh, and the bank of all other skills, embedded every
REFRESH steps. A skill's score is half its card and half its body, as in the gateway. Each step also trains on pairs of
views, so that the table does not forget them.

With --without, the queries of held-back repositories and of one skill in ten of the others are left out:
`evaluate.py` measures on those.
"""
import argparse
import collections
import json
import pickle
import time

import numpy as np
import scipy.sparse as sp
import torch
import torch.nn.functional as F

from corpus import bags, held, kept, tenth
from learner import Table, info_nce, near_duplicates
from table import unit
from tokens import UNK, WordPiece, read_vocab
from views import Skills, draw, drop

REFRESH = 50  # steps between two embeddings of the bank
BODY_PIECES = 200  # pieces of random sections that represent the body in one step
TWIN = .85  # two cards at least this similar (cosine) count as one skill and are not negatives of each other


def written(files, data, wordpiece, without):
    """→ [(skill, piece ids)], without those kept back."""
    position = {s['id']: i for i, s in enumerate(data['skills'])}
    out_of, out = held(data, without), []
    for file in files:
        with open(file, encoding='utf-8') as f:
            for q in map(json.loads, f):
                n = position.get(q['skill'])
                if n is None or (without and (out_of[n] or tenth(q['skill']))):
                    continue
                ids = np.array([p for p in wordpiece.encode(q['query']) if p != UNK], 'i4')
                if len(ids) > 1:
                    out.append((n, ids))
    return out


def body(skills, i, rng):
    """Some sections of the skill, in random order, each with its name and path; the card where there is no body."""
    s = skills.sections[i]
    out, size = [], 0
    for k in rng.permutation(len(s)):
        path, _, text = s[k]
        out += [skills.name[i], path, text[:BODY_PIECES]]
        size += len(text)
        if size >= BODY_PIECES:
            break
    return np.concatenate(out) if out else skills.card[i]


class Bank:
    """All kept skills as half card, half body; rows in the order of `keep`."""

    def __init__(self, data, wordpiece, keep):
        m = wordpiece.matrix(data['types'])
        width, n = len(data['types']), len(data['skills'])
        owner = data['section_owner'][data['segment_section']]
        to_skill = sp.csr_matrix((np.ones(len(owner), 'f4'), (owner, np.arange(len(owner)))), shape=(n, len(owner)))
        self.cards = (bags(*data['card'], width)[keep] @ m).tocsr()
        self.bodies = ((to_skill @ bags(*data['segment'], width))[keep] @ m).tocsr()

    def embed(self, rows):
        self.card = unit(self.cards @ rows)
        b = unit(self.bodies @ rows)
        empty = np.asarray(self.bodies.sum(1)).ravel() == 0
        b[empty] = self.card[empty]
        return torch.from_numpy(.5 * self.card + .5 * b)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ('corpus', 'vocab', 'start', 'out'):
        ap.add_argument(f'--{name}', required=True)
    ap.add_argument('--queries', nargs='+', required=True)
    ap.add_argument('--without', default='')
    ap.add_argument('--steps', type=int, default=500)
    ap.add_argument('--batch', type=int, default=384, help='written queries a step')
    ap.add_argument('--bank', type=int, default=6000, help='skills of the bank that a step looks at, drawn at random')
    ap.add_argument('--views', type=int, default=192, help='view pairs a step')
    ap.add_argument('--view-weight', type=float, default=.3)
    ap.add_argument('--rate', type=float, default=.006)
    ap.add_argument('--scale', type=float, default=20)
    ap.add_argument('--drop', type=float, default=.1)
    ap.add_argument('--seed', type=int, default=0)
    ap.add_argument('--threads', type=int, default=1)
    a = ap.parse_args()
    torch.set_num_threads(a.threads)
    torch.set_flush_denormal(True)
    torch.manual_seed(a.seed)
    rng = np.random.default_rng(a.seed)
    with open(a.corpus, 'rb') as f:
        data = pickle.load(f)
    wordpiece = WordPiece(read_vocab(a.vocab))
    skills, keep = Skills(data, wordpiece), kept(data, a.without)
    queries = written(a.queries, data, wordpiece, a.without)
    by_skill = collections.defaultdict(list)
    for k, (n, _) in enumerate(queries):
        by_skill[n].append(k)
    known = np.array(sorted(by_skill))
    others = np.array([i for i in keep if i not in by_skill])
    print(len(known), 'skills', len(queries), 'queries', flush=True)
    table = Table(np.load(a.start).astype('f4'))
    bank = Bank(data, wordpiece, keep)
    bank.embed(table.rows.numpy())
    column = np.full(len(data['skills']), -1)
    column[keep] = np.arange(len(keep))
    card = bank.card.copy()
    twin = np.zeros((len(known), len(keep)), bool)
    for k in range(0, len(known), 256):
        twin[k:k + 256] = card[column[known[k:k + 256]]] @ card.T > TWIN
    began, means = time.time(), None
    for step in range(a.steps):
        if step % REFRESH == 0:
            stale = bank.embed(table.rows.numpy())
        rate = a.rate * min(1, (step + 1) / 50) * (1 - step / a.steps)
        chosen = rng.choice(known, min(a.batch, len(known)), replace=False).tolist()
        picks = [by_skill[n][rng.integers(len(by_skill[n]))] for n in chosen]
        pairs = [x for x in (draw(skills, i, rng) for i in rng.choice(others, a.views, replace=False)) if x]
        ids, leaf, (q, c, b, v, p) = table.gather(
            [drop(queries[k][1], a.drop, rng) for k in picks], [drop(skills.card[n], a.drop, rng) for n in chosen],
            [body(skills, n, rng) for n in chosen], [v for v, _ in pairs], [p for _, p in pairs])
        q = F.normalize(q, dim=1)
        d = .5 * F.normalize(c, dim=1) + .5 * F.normalize(b, dim=1)
        columns = column[chosen]
        seen = rng.choice(len(keep), min(a.bank, len(keep)), replace=False)
        inside, outside = a.scale * q @ d.T, a.scale * q @ stale[seen].T
        # Not negatives: a skill's twins, and the bank's stale copies of the skills in the batch.
        barred = np.isin(seen, columns)[None] | twin[np.searchsorted(known, chosen)][:, seen]
        same = (card[columns] @ card[columns].T > TWIN) & ~np.eye(len(chosen), dtype=bool)
        inside = inside.masked_fill(torch.from_numpy(same), -1e4)
        outside = outside.masked_fill(torch.from_numpy(barred), -1e4)
        target = torch.arange(len(chosen))
        main_loss = (F.cross_entropy(torch.cat([inside, outside], 1), target) + .5 * F.cross_entropy(inside.T, target)) / 1.5
        loss = main_loss + a.view_weight * info_nce(v, p, a.scale, near_duplicates(p))
        loss.backward()
        table.update(ids, leaf, rate)
        means = main_loss.item() if means is None else .95 * means + .05 * main_loss.item()
        if step % 50 == 49:
            print(step + 1, f'loss {means:.3f} {time.time() - began:.0f} s', flush=True)
    np.save(a.out, table.rows.numpy())


if __name__ == '__main__':
    main()
