"""The network: BERT's layers between a table of static vectors and the sum with those vectors.

    out(token) = table[token] + down(layers(up(norm(table[token])) + position))

`down` starts at zero: before its first step the network is the static model, and it learns what word order adds.
The table's directions go in, its lengths (how much a word says) come out with the sum. A text is the mean of its tokens,
[PAD] and [UNK] left out; there is no [CLS] and no [SEP]. `ship.py` writes the same network as ONNX.
"""
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from tokens import SPECIAL, UNK

POSITIONS = 512  # tokens that the gateway reads of a text
HEAD = 64  # width of an attention head
EPSILON = 1e-5  # of every layer norm
FAR = -1e4  # logit of a token that is not there; no NaN where none is
DEVICE = torch.device('cuda' if torch.cuda.is_available() else 'cpu')


class Layer(nn.Module):
    def __init__(self, width, dropout):
        super().__init__()
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.norm1, self.norm2 = nn.LayerNorm(width, EPSILON), nn.LayerNorm(width, EPSILON)
        self.drop = nn.Dropout(dropout)

    def forward(self, h, far):
        b, t, w = h.shape
        q, k, v = self.qkv(h).view(b, t, 3, w // HEAD, HEAD).permute(2, 0, 3, 1, 4)
        a = F.scaled_dot_product_attention(q, k, v, None if far is None else far.to(q.dtype))
        h = self.norm1(h + self.drop(self.out(a.transpose(1, 2).reshape(b, t, w))))
        return self.norm2(h + self.drop(self.narrow(F.gelu(self.wide(h)))))


class Encoder(nn.Module):
    def __init__(self, vocabulary, table=256, width=384, layers=6, dropout=.1):
        super().__init__()
        self.config = dict(vocabulary=vocabulary, table=table, width=width, layers=layers, dropout=dropout)
        self.table = nn.Embedding(vocabulary, table)
        self.enter, self.up = nn.LayerNorm(table, EPSILON), nn.Linear(table, width)
        self.position = nn.Parameter(torch.empty(POSITIONS, width))
        self.norm = nn.LayerNorm(width, EPSILON)
        self.layers = nn.ModuleList(Layer(width, dropout) for _ in range(layers))
        self.down = nn.Linear(width, table, bias=False)
        for m in self.modules():
            if isinstance(m, nn.Linear):
                nn.init.normal_(m.weight, std=.02)
                if m.bias is not None:
                    nn.init.zeros_(m.bias)
        nn.init.normal_(self.position, std=.02)
        nn.init.zeros_(self.down.weight)

    def hidden(self, ids, places, far=None):
        """int[b × t] at the positions int[t] → float[b × t × width]. far: what is added to the logits of a token."""
        with torch.autocast(DEVICE.type, torch.bfloat16, enabled=DEVICE.type == 'cuda'):
            h = self.norm(self.up(self.enter(self.table(ids))) + self.position[places])
            for layer in self.layers:
                h = layer(h, far)
        return h.float()

    def forward(self, ids):
        """int[b × t] → float32[b × table], sums over the tokens; only their direction means something."""
        ids = ids.to(DEVICE, non_blocking=True)
        keep = ids > UNK
        far = torch.where(keep, 0., FAR)[:, None, None, :]
        out = self.table(ids) + self.down(self.hidden(ids, torch.arange(ids.shape[1], device=DEVICE), far))
        return (out * keep[..., None]).sum(1)

    @torch.no_grad()
    def encode(self, texts, tokens=1 << 13 if DEVICE.type == 'cpu' else 1 << 18):
        """Lists of piece ids → float32[n × table] of unit length, on the CPU; `tokens`: a batch with its padding."""
        training = self.training
        self.eval()
        order = sorted(range(len(texts)), key=lambda i: -len(texts[i]))
        out = np.zeros((len(texts), self.config['table']), 'f4')
        at = 0
        while at < len(order):
            longest = max(1, min(POSITIONS, len(texts[order[at]])))
            pick = order[at:at + max(1, tokens // longest)]
            out[pick] = F.normalize(self(pad([texts[i] for i in pick])), dim=1).cpu().numpy()
            at += len(pick)
        self.train(training)
        return out

    def save(self, file):
        torch.save({'config': self.config, 'weights': {k: v.half() for k, v in self.state_dict().items()}}, file)


def start(table, **shape):
    """A new network around a static table."""
    net = Encoder(*table.shape, **shape)
    net.table.weight.data.copy_(torch.from_numpy(table))
    net.table.weight.data[UNK + 1:len(SPECIAL)].normal_()  # zeros in the table, but [SEP] must not look like [MASK]
    return net.to(DEVICE)


def load(file):
    known = torch.load(file, map_location='cpu', weights_only=True)
    net = Encoder(**known['config'])
    net.load_state_dict({k: v.float() for k, v in known['weights'].items()})
    return net.to(DEVICE)


def pad(texts, limit=POSITIONS):
    """Lists of piece ids → int64[n × longest], filled with [PAD] up to a multiple of 8."""
    texts = [x[:limit] for x in texts]
    out = np.zeros((len(texts), -(-max(1, *map(len, texts)) // 8) * 8), 'i8')
    for row, x in zip(out, texts):
        row[:len(x)] = x
    return torch.from_numpy(out)
