"""Pretrained network → embedder: two views of a skill, or heading and passage of a documentation page, lie close.

    python3 -m transformer.contrast --pack WORK/pack.xz --work WORK/run [--minutes 9]

Symmetric InfoNCE as for the static table. Which passages are the same text is asked of the static table: the network's
own cosines say nothing in the beginning.
"""
import numpy as np
import torch

from learner import info_nce, near_duplicates
from split import kept
from tokens import UNK
from transformer import model, pack, stage
from views import Skills, draw, ragged

VIEW, PASSAGE = 64, 256  # pieces that are read
SCALE = 20


class Static:
    """The frozen table of the start: bags of pieces → sums of its rows."""

    def __init__(self, table):
        self.rows = torch.from_numpy(table).to(model.DEVICE)

    def __call__(self, ids):
        ids = ids.to(model.DEVICE)
        return torch.nn.functional.embedding_bag(ids, self.rows, mode='sum', per_sample_weights=(ids > UNK).float())


def main():
    ap = stage.arguments(__doc__, steps=2000, batch=1024, rate=3e-4)
    ap.add_argument('--pairs-share', type=float, default=.3, help='documentation pairs among the pairs of a batch')
    a = ap.parse_args()
    began = stage.begin(a, 'contrast')
    data, wordpiece = pack.read(a.pack)
    skills, keep = Skills(data, wordpiece), kept(data, a.without)
    asks, answers = ragged(data['ask']), ragged(data['answer'])
    static, net = Static(data['start']), model.load(f'{a.work}/pretrain.pt')
    some = int(a.batch * a.pairs_share)

    def make(step):
        rng = np.random.default_rng((a.seed, 1, step))
        pairs = [x for x in (draw(skills, i, rng) for i in rng.choice(keep, a.batch - some, replace=False)) if x]
        pairs += [(asks[k], answers[k]) for k in rng.choice(len(asks), some, replace=False)]
        return model.pad([v for v, _ in pairs], VIEW), model.pad([p for _, p in pairs], PASSAGE)

    def loss(batch):
        views, passages = batch
        return info_nce(net(views), net(passages), SCALE, near_duplicates(static(passages)), dims=(256, 64))

    stage.run('contrast', net, net, make, loss, a, began)


if __name__ == '__main__':
    main()
