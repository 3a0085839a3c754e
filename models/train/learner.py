"""One table of token vectors, its sparse Adam, and the InfoNCE loss over two lists of bags.

Lazy Adam: only the rows that a batch touches move, so the cost of a step depends on the batch, not on the table.
"""
import numpy as np
import torch
import torch.nn.functional as F


def pack(bags):
    n = np.array([len(b) for b in bags])
    offsets = np.concatenate([[0], np.cumsum(n)[:-1]])
    return torch.from_numpy(np.concatenate(bags).astype('i8')), torch.from_numpy(offsets.astype('i8'))


class Table:
    def __init__(self, rows, betas=(.9, .99)):
        self.rows = torch.tensor(rows)
        self.m = torch.zeros_like(self.rows)
        self.v = torch.zeros_like(self.rows)
        self.betas, self.step_count = betas, 0

    def gather(self, *lists):
        """Lists of bags → (touched row ids, their leaf tensor, one matrix of mean vectors per list)."""
        packed = [pack(x) for x in lists]
        ids, inverse = torch.unique(torch.cat([p[0] for p in packed]), return_inverse=True)
        leaf = self.rows[ids].requires_grad_(True)
        out, at = [], 0
        for tokens, offsets in packed:
            out.append(F.embedding_bag(inverse[at:at + len(tokens)], leaf, offsets, mode='mean'))
            at += len(tokens)
        return ids, leaf, out

    def update(self, ids, leaf, rate):
        with torch.no_grad():
            self.step_count += 1
            b1, b2 = self.betas
            g = leaf.grad
            m = self.m[ids].mul_(b1).add_(g, alpha=1 - b1)
            v = self.v[ids].mul_(b2).addcmul_(g, g, value=1 - b2)
            self.m[ids], self.v[ids] = m, v
            c1, c2 = 1 - b1 ** self.step_count, 1 - b2 ** self.step_count
            self.rows[ids] = leaf - rate * (m / c1) / ((v / c2).sqrt_() + 1e-8)


def info_nce(a, b, scale, mask=None, dims=(256,)):
    """Symmetric InfoNCE, averaged over the leading `dims` (Matryoshka). `mask`: pairs that are not negatives.
    """
    target = torch.arange(len(a), device=a.device)
    total = 0
    for d in dims:
        x, y = F.normalize(a[:, :d], dim=1), F.normalize(b[:, :d], dim=1)
        s = scale * x @ y.T
        if mask is not None:
            s = s.masked_fill(mask, -1e4)
        total = total + (F.cross_entropy(s, target) + F.cross_entropy(s.T, target)) / 2
    return total / len(dims)


def near_duplicates(b, limit=.9):
    with torch.no_grad():
        y = F.normalize(b, dim=1)
        return (y @ y.T > limit) & ~torch.eye(len(b), dtype=torch.bool, device=b.device)
