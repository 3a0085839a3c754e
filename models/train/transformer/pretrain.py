"""Static table → network that fills gaps: masked language modelling (Devlin et al. 2019) on skills and documentation.

    python3 -m transformer.pretrain --pack WORK/pack.xz --work WORK/run [--layers 6 --width 384 --minutes 9]

The table stays as it is: its rows were learned on what belongs together, and the gaps would pull them elsewhere.
The decoder starts from their directions and is left behind afterwards.
"""
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from split import kept
from table import unit
from tokens import SPECIAL
from transformer import model, pack, stage

SEP, MASK = SPECIAL.index('[SEP]'), SPECIAL.index('[MASK]')
SHARE = .2  # of the tokens are asked for (Wettig et al. 2023: small models like more than 15 %)


def stream(data, keep):
    """All text end to end, uint16, a [SEP] after each skill and each pair."""
    sep, out = np.array([SEP], 'u2'), []
    (heading, h), (segment, s), (card, c) = data['heading'], data['segment'], data['card']
    first = s[np.searchsorted(data['segment_section'], np.arange(len(data['section_owner']) + 1))]
    at = np.searchsorted(data['section_owner'], np.arange(len(data['skills']) + 1))
    for i in keep:
        out.append(card[c[i]:c[i + 1]])
        for k in range(at[i], at[i + 1]):
            out += [heading[h[k]:h[k + 1]], segment[first[k]:first[k + 1]]]
        out.append(sep)
    (ask, q), (answer, p) = data['ask'], data['answer']
    for k in range(len(q) - 1):
        out += [ask[q[k]:q[k + 1]], answer[p[k]:p[k + 1]], sep]
    return np.concatenate(out)


class Gaps(nn.Module):
    def __init__(self, encoder, table):
        super().__init__()
        width, d = encoder.config['width'], encoder.config['table']
        self.encoder = encoder
        self.head = nn.Sequential(nn.Linear(width, d), nn.GELU(), nn.LayerNorm(d))
        self.decoder = nn.Linear(d, encoder.config['vocabulary'])
        self.decoder.weight.data.copy_(torch.from_numpy(unit(table) * .3))

    def forward(self, ids, gaps, answers, places):
        h = self.encoder.hidden(ids, places)
        h = torch.gather(h, 1, gaps[..., None].expand(-1, -1, h.shape[-1]))
        return F.cross_entropy(self.decoder(self.head(h)).flatten(0, 1), answers.flatten())


def main():
    ap = stage.arguments(__doc__, steps=6000, batch=512, rate=1e-3)
    ap.add_argument('--layers', type=int, default=6)
    ap.add_argument('--width', type=int, default=384)
    ap.add_argument('--length', type=int, default=256, help='tokens of a window')
    ap.add_argument('--compile', action='store_true', help='for a GPU; where it fails, training goes on without')
    a = ap.parse_args()
    torch._dynamo.config.suppress_errors = True
    began = stage.begin(a, 'pretrain')
    data, wordpiece = pack.read(a.pack)
    text = stream(data, kept(data, a.without))
    encoder = model.start(data['start'], width=a.width, layers=a.layers)
    encoder.table.weight.requires_grad_(False)
    net = Gaps(encoder, data['start']).to(model.DEVICE)
    seen = a.steps * a.batch * a.length
    print(f'{len(text) / 1e6:.1f} M tokens of text, {seen / 1e6:.0f} M in training; '
          f'{sum(p.numel() for p in encoder.parameters()) / 1e6:.1f} M parameters ship', flush=True)

    def make(step):
        rng = np.random.default_rng((a.seed, 0, step))
        at = rng.integers(0, len(text) - a.length, a.batch)
        ids = text[at[:, None] + np.arange(a.length)].astype('i8')
        gaps = np.argsort(rng.random(ids.shape), axis=1)[:, :int(SHARE * a.length)]
        answers = np.take_along_axis(ids, gaps, 1)
        kind = rng.random(gaps.shape)  # 80 % become [MASK], 10 % another piece, 10 % stay
        filled = np.where(kind < .8, MASK, np.where(kind < .9, rng.integers(len(SPECIAL), len(wordpiece), gaps.shape), answers))
        np.put_along_axis(ids, gaps, filled, 1)
        # windows start anywhere in the 512 positions, so that all of them are learned
        places = np.arange(a.length) + rng.integers(0, model.POSITIONS - a.length + 1)
        return [torch.from_numpy(x) for x in (ids, gaps, answers, places)]

    forward = torch.compile(net) if a.compile else net

    def loss(batch):
        return forward(*(x.to(model.DEVICE, non_blocking=True) for x in batch))

    stage.run('pretrain', net, encoder, make, loss, a, began)


if __name__ == '__main__':
    main()
