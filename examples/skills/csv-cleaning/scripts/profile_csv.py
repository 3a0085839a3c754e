#!/usr/bin/env python3
"""Profile a CSV file: encoding, delimiter, broken rows, and what each column seems to hold. Changes nothing.

Use:
  profile_csv.py --file data.csv [--delimiter ';'] [--encoding utf-8]
  echo '{"file":"data.csv"}' | profile_csv.py
  echo '{"csv":"id;amount\\n1;5"}' | profile_csv.py

Prints JSON: {"encoding","delimiter","rows","fields","bad_rows":[...],"duplicates","columns":[...],"findings":[...]}.
Exit 2 on bad input.
"""
import argparse
import csv
import io
import json
import re
import sys
from collections import Counter

MISSING = {"", "n/a", "na", "null", "none", "-", "--", "nan", "#n/a", "?", "k.a.", "1900-01-01", "0000-00-00", "9999-12-31"}
ISO = re.compile(r"^\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2})?.*)?$")
PARTS = re.compile(r"^(\d{1,2})[./-](\d{1,2})[./-](\d{2}|\d{4})$")
PLAIN = re.compile(r"^[+-]?\d+$")
COMMA = re.compile(r"^[(]?[+-]?(\d{1,3}(\.\d{3})+|\d+),\d+[)]?-?$")
POINT = re.compile(r"^[(]?[+-]?(\d{1,3}(,\d{3})+|\d+)\.\d+[)]?-?$")
GROUP = re.compile(r"^[+-]?\d{1,3}([.,]\d{3})+$")
CURRENCY = re.compile(r"[€$£¥]|\b(EUR|USD|GBP|CHF|JPY)\b")
MOJIBAKE = re.compile(r"Ã[\x80-\xff€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]|â€")


def die(message):
    print(f"profile_csv: {message}", file=sys.stderr)
    sys.exit(2)


def read_input():
    parser = argparse.ArgumentParser(description="Profile a CSV file.")
    parser.add_argument("--file", required=True)
    parser.add_argument("--delimiter")
    parser.add_argument("--encoding")
    if len(sys.argv) > 1:
        return vars(parser.parse_args())
    if sys.stdin.isatty():
        parser.print_usage(sys.stderr)
        die("give --file, or a JSON object on standard input")
    try:
        data = json.load(sys.stdin)
    except json.JSONDecodeError as e:
        die(f"standard input is not JSON: {e}")
    if not isinstance(data, dict):
        die("standard input must be a JSON object")
    for key in ("file", "csv", "delimiter", "encoding"):
        if data.get(key) is not None and not isinstance(data[key], str):
            die(f"{key} must be a string")
    return data


def decode(raw, wanted):
    if wanted:
        try:
            return raw.decode(wanted), wanted
        except (LookupError, UnicodeDecodeError) as e:
            die(f"cannot decode as {wanted}: {e}")
    if raw.startswith(b"\xef\xbb\xbf"):
        return raw.decode("utf-8-sig", "replace"), "utf-8 with BOM"
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return raw.decode("utf-16", "replace"), "utf-16"
    try:
        return raw.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        return raw.decode("cp1252", "replace"), "probably windows-1252"


def guess_delimiter(text):
    best, best_score = ",", -1.0
    sample = text.splitlines()[:200]
    for d in ",;\t|":
        try:
            counts = Counter(len(r) for r in csv.reader(sample, delimiter=d) if r)
        except csv.Error:
            continue
        if not counts:
            continue
        fields, rows = counts.most_common(1)[0]
        score = rows / sum(counts.values()) * (fields if fields > 1 else 0)
        if score > best_score:
            best, best_score = d, score
    return best


def kind(value):
    v = value.strip()
    if v.lower() in MISSING:
        return "missing"
    if ISO.match(v):
        return "date iso"
    m = PARTS.match(v)
    if m:
        a, b = int(m[1]), int(m[2])
        if a > 31 or b > 31 or (a > 12 and b > 12) or a == 0 or b == 0:
            return "date impossible"
        return "date day-first" if a > 12 else "date month-first" if b > 12 else "date ambiguous"
    n = CURRENCY.sub("", v).replace("\u00a0", "").replace("\u202f", "").strip()
    if PLAIN.match(n):
        return "code with leading zero" if len(n) > 1 and n[0] == "0" else "integer"
    if GROUP.match(n):
        return "number ambiguous"
    if COMMA.match(n):
        return "number comma"
    if POINT.match(n):
        return "number point"
    return "text"


def profile_column(name, values):
    kinds = Counter(kind(v) for v in values)
    filled = [v for v in values if kind(v) != "missing"]
    notes = []
    padded = sum(v != v.strip() or "\u200b" in v for v in filled)
    if padded:
        notes.append(f"{padded} values with surrounding or invisible blanks")
    spelled = sorted({v.strip() for v in values if v.strip() and kind(v) == "missing"})
    if spelled:
        notes.append("missing spelled as " + ", ".join(repr(s) for s in spelled))
    broken = [v for v in filled if MOJIBAKE.search(v)]
    if broken:
        notes.append(f"{len(broken)} values with broken encoding, e.g. {broken[0]!r}")
    formulas = [v for v in filled if v[:1] in "=@" or re.match(r"^[+-][^\d.,(]", v)]
    if formulas:
        notes.append(f"{len(formulas)} values would run as a formula, e.g. {formulas[0]!r}")
    if kinds["number comma"] and kinds["number point"]:
        notes.append("both decimal comma and decimal point")
    if kinds["date day-first"] and kinds["date month-first"]:
        notes.append("both day-first and month-first dates")
    if kinds["date impossible"]:
        notes.append(f"{kinds['date impossible']} impossible dates")
    typed = {k: c for k, c in kinds.items() if k not in ("missing", "text")}
    if typed and kinds["text"] and kinds["text"] < sum(typed.values()):
        odd = next(v for v in filled if kind(v) == "text")
        notes.append(f"{kinds['text']} values do not fit the column's type, e.g. {odd!r}")
    folded = Counter(v.strip().lower() for v in set(v for v in filled))
    variants = [k for k, c in folded.items() if c > 1]
    if variants:
        notes.append(f"{len(variants)} values differ only in case or blanks, e.g. {variants[0]!r}")
    return {"name": name, "filled": len(filled), "missing": len(values) - len(filled), "distinct": len(set(filled)),
            "kinds": dict(kinds.most_common()), "examples": [v for v, _ in Counter(filled).most_common(3)], "notes": notes}


def main():
    args = read_input()
    if args.get("csv") is not None:
        text, encoding = args["csv"], "given as text"
    elif args.get("file"):
        try:
            with open(args["file"], "rb") as f:
                raw = f.read()
        except OSError as e:
            die(f"cannot read {args['file']}: {e.strerror}")
        text, encoding = decode(raw, args.get("encoding"))
    else:
        die("neither file nor csv given")
    if not text.strip():
        die("there is nothing in it")
    text = text.replace("\x00", "")
    delimiter = args.get("delimiter") or guess_delimiter(text)
    if len(delimiter) != 1:
        die("delimiter must be one character")
    csv.field_size_limit(10_000_000)
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        rows = [(reader.line_num, r) for r in reader if any(c.strip() for c in r)]
    except csv.Error as e:
        die(f"cannot parse: {e}")
    header, data = rows[0][1], rows[1:]
    width = len(header)
    bad = [{"line": n, "fields": len(r)} for n, r in data if len(r) != width]
    good = [r for _, r in data if len(r) == width]
    duplicates = sum(c - 1 for c in Counter(map(tuple, good)).values())
    columns = [profile_column(h, [r[i] for r in good]) for i, h in enumerate(header)]
    findings = []
    if bad:
        findings.append(f"{len(bad)} rows do not have {width} fields")
    if duplicates:
        findings.append(f"{duplicates} rows are exact duplicates")
    repeated = [h for h, c in Counter(h.strip().lower() for h in header).items() if c > 1]
    if repeated:
        findings.append("header names occur twice: " + ", ".join(repeated))
    totals = [n for n, r in data if r and re.match(r"^(grand )?(total|sum|summe|gesamt)\b", r[0].strip(), re.I)]
    if totals:
        findings.append(f"totals in line {totals[0]}")
    findings += [f"{c['name']}: {n}" for c in columns for n in c["notes"]]
    json.dump({"encoding": encoding, "delimiter": delimiter, "rows": len(data), "fields": width, "bad_rows": bad[:50],
               "duplicates": duplicates, "columns": columns, "findings": findings}, sys.stdout, indent=2, ensure_ascii=False)
    print()


if __name__ == "__main__":
    main()
