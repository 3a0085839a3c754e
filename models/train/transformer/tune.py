"""Embedder → embedder tuned on written queries: each against its skill, the batch's others, and a hard negative.

    python3 -m transformer.tune --pack WORK/pack.xz --work WORK/run --queries queries/*.jsonl [--without HELD_REPOS]

A skill is half its card, half some of its sections, as in `finetune.py`. Hard negatives are drawn from the HARD skills
that the network itself ranks highest for a query without being its skill or a twin of it (cards with a cosine above
TWIN in the static table); they are looked up again every REFRESH steps, and at the start of a slice.
"""
import collections

import numpy as np
import torch
import torch.nn.functional as F

from finetune import TWIN, body, written
from learner import info_nce, near_duplicates
from passages import bags
from split import kept
from table import unit
from transformer import model, pack, stage
from transformer.contrast import PASSAGE, SCALE, VIEW, Static
from views import Skills, draw, drop

ASKED = 128  # pieces that are read of a query: job descriptions have 110 words
REFRESH, HARD = 200, 32


def main():
    ap = stage.arguments(__doc__, steps=1000, batch=256, rate=1e-4)
    ap.add_argument('--queries', nargs='+', required=True)
    ap.add_argument('--views', type=int, default=128, help='view pairs a step, that nothing be forgotten')
    ap.add_argument('--view-weight', type=float, default=.3)
    a = ap.parse_args()
    a.workers = 0  # a batch depends on the network
    began = stage.begin(a, 'tune')
    data, wordpiece = pack.read(a.pack)
    skills, keep = Skills(data, wordpiece), kept(data, a.without)
    queries = written(a.queries, data, wordpiece, a.without)
    by_skill = collections.defaultdict(list)
    for k, (n, _, _) in enumerate(queries):
        by_skill[n].append(k)
    known = np.array(sorted(by_skill))
    print(len(known), 'skills', len(queries), 'queries', flush=True)
    static, net = Static(data['start']), model.load(f'{a.work}/contrast.pt')
    width = len(data['types'])
    cards = torch.from_numpy(unit(bags(*data['card'], width) @ data['start']).astype('f4')).to(model.DEVICE)
    hard = np.zeros((len(queries), 0), 'i8')

    def twins(some, others):
        return cards[some] @ cards[others].T > TWIN

    def look_up(step):
        rng = np.random.default_rng((a.seed, 3, step))
        bank = .5 * net.encode([skills.card[i] for i in keep]) + .5 * net.encode([body(skills, i, rng)[:PASSAGE] for i in keep])
        bank, out = torch.from_numpy(bank).to(model.DEVICE), []
        for k in range(0, len(queries), 512):
            lot = queries[k:k + 512]
            scores = torch.from_numpy(net.encode([ids[:ASKED] for _, _, ids in lot])).to(model.DEVICE) @ bank.T
            scores = scores.masked_fill(twins([n for n, _, _ in lot], keep), -1)
            out.append(keep[scores.topk(min(HARD, len(keep)), dim=1).indices.cpu().numpy()])
        return np.concatenate(out)

    def make(step):
        nonlocal hard
        if step % REFRESH == 0 or hard.shape[1] == 0:
            hard = look_up(step)
        rng = np.random.default_rng((a.seed, 2, step))
        chosen = rng.choice(known, min(a.batch, len(known)), replace=False)
        picks = [by_skill[n][rng.integers(len(by_skill[n]))] for n in chosen.tolist()]
        columns = np.concatenate([chosen, [rng.choice(hard[k]) for k in picks]])
        pairs = [x for x in (draw(skills, i, rng) for i in rng.choice(keep, min(a.views, len(keep)), replace=False)) if x]
        return (torch.from_numpy(columns), model.pad([drop(queries[k][2], .1, rng) for k in picks], ASKED),
                model.pad([drop(skills.card[n], .1, rng) for n in columns], PASSAGE),
                model.pad([body(skills, n, rng) for n in columns], PASSAGE),
                model.pad([v for v, _ in pairs], VIEW), model.pad([p for _, p in pairs], PASSAGE))

    def loss(batch):
        columns, asked, card, text, views, passages = batch
        n = len(asked)
        target = torch.arange(n, device=model.DEVICE)
        same = twins(columns[:n], columns)
        same[target, target] = False
        d = .5 * F.normalize(net(card), dim=1) + .5 * F.normalize(net(text), dim=1)
        s = (SCALE * F.normalize(net(asked), dim=1) @ d.T).masked_fill(same, -1e4)
        main_loss = (F.cross_entropy(s, target) + .5 * F.cross_entropy(s[:, :n].T, target)) / 1.5
        return main_loss + a.view_weight * info_nce(net(views), net(passages), SCALE, near_duplicates(static(passages)))

    stage.run('tune', net, net, make, loss, a, began)


if __name__ == '__main__':
    main()
