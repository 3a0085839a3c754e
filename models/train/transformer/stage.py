"""How a stage of training runs, stops at the end of its time, and goes on in the next slice.

WORK/NAME.state holds an unfinished stage in full; WORK/NAME.pt the finished weights in half precision, without the
optimiser. Exit status 75 says: not finished, call again. A batch depends on the seed and the number of its step alone,
so that a stage cut into slices sees what an unbroken one sees.
"""
import argparse
import math
import os
import sys
import time

import torch
from torch.utils.data import DataLoader

from transformer.model import DEVICE

UNFINISHED = 75  # EX_TEMPFAIL of sysexits.h
WARMUP = .05  # of the steps
CLIP = 1.0  # norm of the gradient


def arguments(doc, steps, batch, rate):
    ap = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('--pack', required=True)
    ap.add_argument('--work', required=True, help='folder of the states and weights')
    ap.add_argument('--without', default='')
    ap.add_argument('--steps', type=int, default=steps)
    ap.add_argument('--batch', type=int, default=batch)
    ap.add_argument('--rate', type=float, default=rate)
    ap.add_argument('--seed', type=int, default=0)
    ap.add_argument('--minutes', type=float, default=1e9, help='wall-clock time of this slice')
    ap.add_argument('--threads', type=int, default=1, help='of torch on a CPU')
    ap.add_argument('--workers', type=int, default=0 if DEVICE.type == 'cpu' else 8, help='processes that make batches')
    return ap


def optimiser(net, rate):
    moving = [p for p in net.parameters() if p.requires_grad]
    groups = [{'params': [p for p in moving if p.dim() > 1], 'weight_decay': .01},
              {'params': [p for p in moving if p.dim() < 2], 'weight_decay': 0}]
    return torch.optim.AdamW(groups, lr=rate, betas=(.9, .98), fused=DEVICE.type == 'cuda')


def begin(a, name):
    """Seconds of the epoch at which the slice began; leaves at once where the stage is done."""
    os.makedirs(a.work, exist_ok=True)
    if os.path.exists(f'{a.work}/{name}.pt'):
        print(name, 'is done')
        sys.exit(0)
    torch.set_num_threads(a.threads)
    torch.set_float32_matmul_precision('high')
    torch.manual_seed(a.seed)
    return time.time()


def run(name, net, encoder, make, loss, a, began):
    """make(step) → a batch (in a worker, on the CPU); loss(batch) → scalar; `encoder` is the part of `net` that is kept."""
    state, best = f'{a.work}/{name}.state', optimiser(net, a.rate)
    first, total, counted = 0, 0., 0
    if os.path.exists(state):
        known = torch.load(state, map_location=DEVICE, weights_only=True)
        net.load_state_dict(known['net'])
        best.load_state_dict(known['optimiser'])
        first = known['step']
    net.train()
    loader = DataLoader(range(first, a.steps), batch_size=None, collate_fn=make, num_workers=a.workers)
    started = time.time()
    for step, batch in zip(range(first, a.steps), loader):
        torch.manual_seed(a.seed * 1_000_003 + step)  # dropout, the same in a slice as in an unbroken run
        warm, far = (step + 1) / max(1, WARMUP * a.steps), step / a.steps
        for group in best.param_groups:
            group['lr'] = a.rate * min(1, warm) * (.5 + .5 * math.cos(math.pi * far))
        value = loss(batch)
        value.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), CLIP)
        best.step()
        best.zero_grad(set_to_none=True)
        total, counted = total + value.detach(), counted + 1
        if step % 50 == 49 or step + 1 == a.steps:
            spent = (time.time() - started) / (step + 1 - first)
            print(f'{name} {step + 1}/{a.steps} loss {float(total) / counted:.3f}, {1000 * spent:.0f} ms a step', flush=True)
            total, counted = 0., 0
        if time.time() - began > 60 * a.minutes and step + 1 < a.steps:
            torch.save({'net': net.state_dict(), 'optimiser': best.state_dict(), 'step': step + 1}, state)
            print(f'{name} stopped after {step + 1} of {a.steps} steps; the same command goes on', flush=True)
            sys.exit(UNFINISHED)
    encoder.save(f'{a.work}/{name}.pt')
    if os.path.exists(state):
        os.remove(state)
