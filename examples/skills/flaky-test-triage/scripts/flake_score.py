#!/usr/bin/env python3
"""Rank tests by flakiness from CI history.

Use:
  flake_score.py --file history.csv [--top 20] [--min-runs 5]
  echo '{"rows":[{"test":"t","commit":"c","outcome":"fail"}], "top":10}' | flake_score.py
  echo '{"file":"history.csv"}' | flake_score.py

The CSV needs the columns test, commit, outcome (pass | fail | skip; also passed, failed, error, skipped).
Prints JSON: {"flaky":[...], "broken":[...], "tests":n, "runs":n}. Exit 2 on bad input.

A test counts as flaky when one commit has both a pass and a fail. flip_rate is the number of failures on such
commits divided by all runs on them. runs_to_see is ln(0.05)/ln(1-fail_rate), the number of runs after which a
failure has shown with 95 % probability.
"""
import argparse
import csv
import json
import math
import sys
from collections import defaultdict

PASS = {"pass", "passed", "ok", "success"}
FAIL = {"fail", "failed", "error", "failure"}
SKIP = {"skip", "skipped", "pending", "ignored"}


def die(message):
    print(f"flake_score: {message}", file=sys.stderr)
    sys.exit(2)


def read_input():
    parser = argparse.ArgumentParser(description="Rank tests by flakiness from CI history.")
    parser.add_argument("--file")
    parser.add_argument("--top", type=int, default=20)
    parser.add_argument("--min-runs", type=int, default=1)
    if len(sys.argv) > 1:
        a = parser.parse_args()
        return {"file": a.file, "top": a.top, "min_runs": a.min_runs}
    if sys.stdin.isatty():
        parser.print_usage(sys.stderr)
        die("give --file, or a JSON object on standard input")
    try:
        data = json.load(sys.stdin)
    except json.JSONDecodeError as e:
        die(f"standard input is not JSON: {e}")
    if not isinstance(data, dict):
        die("standard input must be a JSON object")
    return data


def rows_of(args):
    if args.get("rows") is not None:
        if not isinstance(args["rows"], list):
            die("rows must be a list")
        return args["rows"]
    if not args.get("file"):
        die("neither rows nor file given")
    try:
        with open(args["file"], newline="", encoding="utf-8-sig") as f:
            return list(csv.DictReader(f))
    except (OSError, UnicodeDecodeError) as e:
        die(f"cannot read {args['file']}: {e}")


def main():
    args = read_input()
    try:
        top, min_runs = int(args.get("top") or 20), int(args.get("min_runs") or 1)
    except (TypeError, ValueError):
        die("top and min_runs must be whole numbers")
    if top < 1 or min_runs < 1:
        die("top and min_runs must be at least 1")
    by_test = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    runs = 0
    for i, row in enumerate(rows_of(args), 1):
        if not isinstance(row, dict):
            die(f"row {i} is not an object")
        missing = [k for k in ("test", "commit", "outcome") if not str(row.get(k) or "").strip()]
        if missing:
            die(f"row {i} lacks {', '.join(missing)}")
        outcome = str(row["outcome"]).strip().lower()
        if outcome in SKIP:
            continue
        if outcome not in PASS | FAIL:
            die(f"row {i}: unknown outcome {row['outcome']!r}; use pass, fail or skip")
        by_test[str(row["test"]).strip()][str(row["commit"]).strip()][outcome in FAIL] += 1
        runs += 1
    if not runs:
        die("no pass or fail rows found")
    flaky, broken = [], []
    for test, commits in by_test.items():
        total = sum(p + f for p, f in commits.values())
        fails = sum(f for _, f in commits.values())
        mixed = [(p, f) for p, f in commits.values() if p and f]
        if total < min_runs or not fails:
            continue
        rate = fails / total
        entry = {"test": test, "runs": total, "failures": fails, "mixed_commits": len(mixed)}
        if not mixed:
            broken.append(entry)
            continue
        entry["flip_rate"] = round(sum(f for _, f in mixed) / sum(p + f for p, f in mixed), 4)
        entry["fail_rate"] = round(rate, 4)
        entry["runs_to_see"] = math.ceil(math.log(0.05) / math.log(1 - rate))
        flaky.append(entry)
    flaky.sort(key=lambda e: (-e["mixed_commits"], -e["flip_rate"], e["test"]))
    broken.sort(key=lambda e: (-e["failures"], e["test"]))
    json.dump({"flaky": flaky[:top], "broken": broken[:top], "tests": len(by_test), "runs": runs}, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
