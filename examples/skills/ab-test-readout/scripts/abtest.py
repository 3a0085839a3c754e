#!/usr/bin/env python3
"""Sample size and read-out for A/B tests on conversion rates. Standard library only.

Use:
  abtest.py --mode size --baseline 0.04 --mde 0.10 [--power 0.8] [--alpha 0.05]
      baseline: control rate, 0..1; mde: RELATIVE effect to detect (0.10 = +10 %)
  abtest.py --mode test --n-a 41230 --x-a 1649 --n-b 41102 --x-b 1780 [--split 0.5] [--alpha 0.05]
      n: users, x: converted; split: planned share of group A
  echo '{"mode":"test","n_a":100,"x_a":10,"n_b":100,"x_b":20}' | abtest.py

Prints JSON. Exit 2 on bad input.
"""
import argparse
import json
import math
import sys
from statistics import NormalDist

Z = NormalDist()


def die(message):
    print(f"abtest: {message}", file=sys.stderr)
    sys.exit(2)


def read_input():
    if len(sys.argv) > 1:
        p = argparse.ArgumentParser(description="Sample size and read-out for A/B tests.")
        p.add_argument("--mode", default="test")
        for name in ("baseline", "mde", "power", "alpha", "split", "n-a", "x-a", "n-b", "x-b"):
            p.add_argument(f"--{name}", type=float)
        return {k: v for k, v in vars(p.parse_args()).items() if v is not None}
    if sys.stdin.isatty():
        die("give flags (see --help), or a JSON object on standard input")
    try:
        data = json.load(sys.stdin)
    except json.JSONDecodeError as e:
        die(f"standard input is not JSON: {e}")
    if not isinstance(data, dict):
        die("standard input must be a JSON object")
    return data


def number(args, name, low, high, default=None):
    value = args.get(name, default)
    if value is None:
        die(f"{name} is missing")
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        die(f"{name} must be a number, found {value!r}")
    if not low < value < high:
        die(f"{name} must lie between {low} and {high}, found {value}")
    return float(value)


def size(args):
    p1 = number(args, "baseline", 0, 1)
    mde = number(args, "mde", -1, 100)
    alpha = number(args, "alpha", 0, 1, 0.05)
    power = number(args, "power", 0, 1, 0.8)
    p2 = p1 * (1 + mde)
    if mde == 0:
        die("mde must not be 0")
    if not 0 < p2 < 1:
        die(f"baseline {p1} with a relative effect of {mde} gives the rate {p2:.4g}, outside 0..1")
    z = Z.inv_cdf(1 - alpha / 2) + Z.inv_cdf(power)
    n = math.ceil(z * z * (p1 * (1 - p1) + p2 * (1 - p2)) / (p2 - p1) ** 2)
    return {"mode": "size", "baseline": p1, "variant": round(p2, 6), "alpha": alpha, "power": power, "n_per_group": n, "n_total": 2 * n}


def count(args, name):
    value = number(args, name, -1, 1e12)
    if value != int(value):
        die(f"{name} must be a whole number, found {value}")
    return int(value)


def test(args):
    na, xa, nb, xb = (count(args, k) for k in ("n_a", "x_a", "n_b", "x_b"))
    alpha = number(args, "alpha", 0, 1, 0.05)
    split = number(args, "split", 0, 1, 0.5)
    if na < 1 or nb < 1:
        die("n_a and n_b must be at least 1")
    if xa > na or xb > nb:
        die("more conversions than users")
    pa, pb = xa / na, xb / nb
    diff = pb - pa
    zc = Z.inv_cdf(1 - alpha / 2)
    se = math.sqrt(pa * (1 - pa) / na + pb * (1 - pb) / nb)
    pooled = (xa + xb) / (na + nb)
    se0 = math.sqrt(pooled * (1 - pooled) * (1 / na + 1 / nb))
    p = 2 * (1 - Z.cdf(abs(diff / se0))) if se0 else 1.0
    lift = None
    if xa and xb:
        centre = math.log(pb / pa)
        half = zc * math.sqrt((1 - pa) / xa + (1 - pb) / xb)
        lift = {"estimate": math.exp(centre) - 1, "low": math.exp(centre - half) - 1, "high": math.exp(centre + half) - 1}
    ea, eb = (na + nb) * split, (na + nb) * (1 - split)
    chi = (na - ea) ** 2 / ea + (nb - eb) ** 2 / eb
    srm = math.erfc(math.sqrt(chi / 2))
    notes = []
    if srm < 0.001:
        notes.append("sample ratio mismatch: do not trust this result, find the cause first")
    if min(xa, xb, na - xa, nb - xb) < 10:
        notes.append("fewer than 10 in a cell: the normal approximation is poor, use an exact test")
    r = lambda v: round(v, 6)
    return {"mode": "test", "rate_a": r(pa), "rate_b": r(pb),
            "difference": {"estimate": r(diff), "low": r(diff - zc * se), "high": r(diff + zc * se)},
            "relative_lift": lift and {k: r(v) for k, v in lift.items()},
            "p_value": r(p), "significant": p < alpha, "sample_ratio_p": r(srm), "notes": notes}


def main():
    args = read_input()
    mode = args.get("mode", "test")
    if mode not in ("size", "test"):
        die(f"mode must be size or test, found {mode!r}")
    json.dump((size if mode == "size" else test)(args), sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
