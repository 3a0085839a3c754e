#!/usr/bin/env python3
"""Match payments to open invoices, from certain to likely; never by amount alone.

Use:
  match_payments.py --invoices invoices.csv --payments payments.csv [--tolerance 0.05] [--discount 0.03]
  echo '{"invoices":[{"id":"RE-1001","party":"Acme","date":"2026-04-02","amount":"119.00"}],
         "payments":[{"id":"P1","party":"ACME Ltd","date":"2026-04-20","amount":"119.00","text":"RE-1001"}]}' | match_payments.py

CSV columns: invoices id,party,date,amount[,ref]; payments id,party,date,amount,text. Amounts with a decimal point.
Prints JSON: {"matched":[{payment, invoices, rule, difference, note?}], "open_invoices":[...], "open_payments":[...], "totals":{...}}.
Exit 2 on bad input.
"""
import argparse
import csv
import json
import re
import sys
import unicodedata
from decimal import Decimal, InvalidOperation
from itertools import combinations

LEGAL = re.compile(r"\b(gmbh|ag|kg|ohg|ug|ltd|limited|inc|llc|corp|co|sarl|sas|srl|bv|nv|oy|ab|plc)\b")
MAX_POOL = 16  # open items of one party looked at for sums: 16 choose 4 = 1,820, enough and instant


def die(message):
    print(f"match_payments: {message}", file=sys.stderr)
    sys.exit(2)


def load_csv(path):
    try:
        with open(path, newline="", encoding="utf-8-sig") as f:
            return list(csv.DictReader(f))
    except (OSError, UnicodeDecodeError) as e:
        die(f"cannot read {path}: {e}")


def read_input():
    if len(sys.argv) > 1:
        p = argparse.ArgumentParser(description="Match payments to open invoices.")
        p.add_argument("--invoices", required=True)
        p.add_argument("--payments", required=True)
        p.add_argument("--tolerance", default="0.05")
        p.add_argument("--discount", default="0.03")
        a = p.parse_args()
        return {"invoices": load_csv(a.invoices), "payments": load_csv(a.payments), "tolerance": a.tolerance, "discount": a.discount}
    if sys.stdin.isatty():
        die("give --invoices and --payments, or a JSON object on standard input")
    try:
        data = json.load(sys.stdin, parse_float=Decimal)
    except json.JSONDecodeError as e:
        die(f"standard input is not JSON: {e}")
    if not isinstance(data, dict):
        die("standard input must be a JSON object")
    for key in ("invoices", "payments"):
        if isinstance(data.get(key), str):
            data[key] = load_csv(data[key])
    return data


def money(value, where):
    try:
        d = Decimal(str(value).strip())
        if not d.is_finite():
            raise InvalidOperation
        return d
    except InvalidOperation:
        die(f"{where}: amount {value!r} is not a number with a decimal point")


def number_key(s):
    return re.sub(r"\d+", lambda m: m[0].lstrip("0") or "0", re.sub(r"[^A-Z0-9]", "", str(s or "").upper()))


def party_key(s):
    s = unicodedata.normalize("NFKD", str(s or "").lower())
    s = "".join(c for c in s if not unicodedata.combining(c))
    return re.sub(r"[^a-z0-9]+", " ", LEGAL.sub(" ", re.sub(r"[.,&]", " ", s))).strip()


def text_keys(s):
    """Candidates for invoice numbers: runs of one to four neighbouring words, joined."""
    words = re.findall(r"[A-Za-z0-9]+", str(s or ""))
    return {number_key("".join(words[i:j])) for i in range(len(words)) for j in range(i + 1, min(i + 4, len(words)) + 1)}


def rows(data, key):
    items = data.get(key)
    if not isinstance(items, list) or not items:
        die(f"{key} must be a list that is not empty")
    out, seen = [], set()
    for i, r in enumerate(items, 1):
        if not isinstance(r, dict):
            die(f"{key} row {i} is not an object")
        if not str(r.get("id") or "").strip():
            die(f"{key} row {i} has no id")
        ident = str(r["id"]).strip()
        if ident in seen:
            die(f"{key}: id {ident} occurs twice")
        seen.add(ident)
        out.append({"id": ident, "party": party_key(r.get("party")), "date": str(r.get("date") or ""),
                    "amount": money(r.get("amount"), f"{key} {ident}"), "key": number_key(r.get("ref") or ident), "text": text_keys(r.get("text"))})
    return out


def main():
    data = read_input()
    invoices, payments = rows(data, "invoices"), rows(data, "payments")
    tolerance = money(data.get("tolerance", "0.05"), "tolerance")
    discount = money(data.get("discount", "0.03"), "discount")
    if tolerance < 0 or not 0 <= discount < 1:
        die("tolerance must not be negative, discount must be from 0 to below 1")
    open_inv = {i["id"]: i for i in invoices}
    open_pay = {p["id"]: p for p in payments}
    matched = []

    def take(p, chosen, rule, note=None):
        total = sum(i["amount"] for i in chosen)
        entry = {"payment": p["id"], "invoices": [i["id"] for i in chosen], "rule": rule, "difference": str(p["amount"] - total)}
        if note:
            entry["note"] = note
        matched.append(entry)
        del open_pay[p["id"]]
        for i in chosen:
            del open_inv[i["id"]]

    def named(p):
        # a short number turns up in dates and phone numbers: it counts only with the same party
        return [i for i in open_inv.values() if i["key"] in p["text"] and (len(i["key"]) >= 5 or (p["party"] and i["party"] == p["party"]))]

    def explained(p, i):
        gap = i["amount"] - p["amount"]
        if abs(gap) <= tolerance:
            return "within tolerance"
        if gap > 0 and i["amount"] > 0 and gap <= i["amount"] * discount + tolerance:
            return f"short by {gap / i['amount'] * 100:.2f} %: cash discount? check the date"
        return None

    for p in list(open_pay.values()):
        hits = [i for i in named(p) if i["amount"] == p["amount"]]
        if len(hits) == 1:
            take(p, hits, "number and amount")
    for p in list(open_pay.values()):
        hits = named(p)
        if len(hits) == 1 and explained(p, hits[0]):
            take(p, hits, "number, explained difference", explained(p, hits[0]))
    for p in list(open_pay.values()):
        hits = named(p)
        if len(hits) > 1 and abs(sum(i["amount"] for i in hits) - p["amount"]) <= tolerance:
            take(p, hits, "several numbers")
    for p in list(open_pay.values()):
        hits = [i for i in open_inv.values() if p["party"] and i["party"] == p["party"] and i["amount"] == p["amount"]]
        rivals = [q for q in open_pay.values() if q["party"] == p["party"] and q["amount"] == p["amount"]]
        if len(hits) == 1 and len(rivals) == 1:
            take(p, hits, "party and amount")
    for p in list(open_pay.values()):
        pool = [i for i in open_inv.values() if p["party"] and i["party"] == p["party"]][:MAX_POOL]
        sums = [c for n in (2, 3, 4) for c in combinations(pool, n) if sum(i["amount"] for i in c) == p["amount"]]
        if len(sums) == 1:
            take(p, list(sums[0]), "party and unique sum")

    total = lambda items: str(sum((i["amount"] for i in items), Decimal("0")))
    show = lambda i: {"id": i["id"], "date": i["date"], "amount": str(i["amount"])}
    json.dump({"matched": matched, "open_invoices": [show(i) for i in open_inv.values()], "open_payments": [show(p) for p in open_pay.values()],
               "totals": {"invoices": total(invoices), "payments": total(payments), "open_invoices": total(open_inv.values()),
                          "open_payments": total(open_pay.values()), "differences": str(sum((Decimal(m["difference"]) for m in matched), Decimal("0")))}},
              sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
