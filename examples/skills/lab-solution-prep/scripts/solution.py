#!/usr/bin/env python3
"""Bench calculations: weigh-in of a solid, dilution of a stock, serial dilution. Standard library only.

Use:
  solution.py --mode solid  --molar-mass 372.24 --conc 0.25 --volume-ml 500 [--purity 0.99]
      conc in mol/L; prints grams
  solution.py --mode dilute --stock 10 --conc 0.25 --volume-ml 40
      stock and conc in the same unit
  solution.py --mode serial --stock 1000 --factor 4 --steps 8 --volume-ul 200
      factor 4 means 1 part in 4; volume-ul is what remains in every tube
  echo '{"mode":"dilute","stock":10,"conc":0.25,"volume_ml":40}' | solution.py

Prints JSON with the amounts and warnings about volumes that cannot be pipetted well. Exit 2 on bad input.
"""
import argparse
import json
import math
import sys


def die(message):
    print(f"solution: {message}", file=sys.stderr)
    sys.exit(2)


def read_input():
    if len(sys.argv) > 1:
        p = argparse.ArgumentParser(description="Bench calculations.")
        p.add_argument("--mode", required=True)
        for name in ("molar-mass", "conc", "volume-ml", "volume-ul", "purity", "stock", "factor", "steps"):
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


def positive(args, name, default=None):
    v = args.get(name, default)
    if v is None:
        die(f"{name} is missing")
    if isinstance(v, bool) or not isinstance(v, (int, float)) or not math.isfinite(v) or v <= 0:
        die(f"{name} must be a number above 0, found {v!r}")
    return float(v)


def sig(v, n=4):
    return float(f"{v:.{n}g}")


def pipette_warning(ul):
    if ul < 0.5:
        return f"{sig(ul)} uL cannot be pipetted: make an intermediate dilution or a bigger batch"
    if ul < 2:
        return f"{sig(ul)} uL has an error of 5-10 %: better an intermediate dilution"
    return None


def solid(a):
    m, c, v, purity = positive(a, "molar_mass"), positive(a, "conc"), positive(a, "volume_ml"), positive(a, "purity", 1.0)
    if purity > 1:
        die(f"purity is a fraction up to 1 (99 % is 0.99), found {purity}")
    grams = c * v / 1000 * m / purity
    warnings = []
    if grams < 0.02:
        warnings.append(f"{sig(grams * 1000)} mg is below the sensible minimum of a 0.1 mg balance (20 mg): make a stock and dilute")
    return {"mode": "solid", "weigh_g": sig(grams, 5), "fill_up_to_ml": v, "conc_mol_per_l": c, "warnings": warnings}


def dilute(a):
    stock, c, v = positive(a, "stock"), positive(a, "conc"), positive(a, "volume_ml")
    if c > stock:
        die(f"cannot dilute {stock} to the higher concentration {c}")
    take = c * v / stock
    warning = pipette_warning(take * 1000)
    out = {"mode": "dilute", "take_stock_ml": sig(take), "add_solvent_ml": sig(v - take), "dilution_factor": sig(stock / c), "warnings": [warning] if warning else []}
    if stock / c > 1000:
        out["warnings"].append("more than 1000-fold in one step: two steps are more exact")
    return out


def serial(a):
    stock, factor, v = positive(a, "stock"), positive(a, "factor"), positive(a, "volume_ul")
    steps = positive(a, "steps")
    if steps != int(steps) or steps > 48:
        die(f"steps must be a whole number up to 48, found {steps}")
    if factor <= 1:
        die(f"factor must be above 1, found {factor}")
    # each tube ends with v after giving "transfer" onward, so it holds v + transfer = factor * transfer
    transfer = v / (factor - 1)
    tubes = [{"tube": 0, "conc": stock, "note": "undiluted stock"}]
    tubes += [{"tube": i, "diluent_ul": sig(v), "transfer_ul": sig(transfer), "conc": sig(stock / factor**i)} for i in range(1, int(steps) + 1)]
    warning = pipette_warning(transfer)
    return {"mode": "serial", "transfer_ul": sig(transfer), "diluent_ul_per_tube": sig(v), "diluent_total_ul": sig(v * steps),
            "stock_needed_ul": sig(transfer), "discard_from_last_ul": sig(transfer), "tubes": tubes, "warnings": [warning] if warning else []}


def main():
    args = read_input()
    modes = {"solid": solid, "dilute": dilute, "serial": serial}
    mode = args.get("mode")
    if not isinstance(mode, str) or mode not in modes:
        die(f"mode must be solid, dilute or serial, found {mode!r}")
    json.dump(modes[mode](args), sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
