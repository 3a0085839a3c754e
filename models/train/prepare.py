"""Catalog folder → one file of interned words: names, descriptions, sections, segments, views.

    python3 prepare.py --catalog CATALOG_DIR --index catalog.jsonl.xz --out WORK/corpus.pkl

Everything later works on word ids; the text itself is not kept.
"""
import argparse
import json
import lzma
import os
import pickle
import time

import numpy as np

import corpus
from tokens import Lexicon


class Ragged:
    """Lists of ids end to end: `ids[start[i]:start[i + 1]]` is the i-th."""

    def __init__(self):
        self.ids, self.start = [], [0]

    def add(self, ids):
        self.ids.extend(ids)
        self.start.append(len(self.ids))

    def arrays(self):
        return np.array(self.ids, 'i4'), np.array(self.start, 'i8')


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument('--catalog', required=True)
    ap.add_argument('--index', required=True)
    ap.add_argument('--out', required=True)
    a = ap.parse_args()
    began = time.time()
    opener = lzma.open if a.index.endswith('.xz') else open
    with opener(a.index, 'rt', encoding='utf-8') as f:
        rows = [json.loads(line) for line in f]
    lex = Lexicon()
    part = {k: Ragged() for k in ('name', 'card', 'description', 'segment', 'path', 'heading', 'bullet', 'sentence', 'reference')}
    owner = {k: [] for k in ('section', 'bullet', 'sentence', 'reference')}
    seg_section, seg_chars, seg_code, skills = [], [], [], []
    for n, row in enumerate(rows):
        folder = os.path.join(a.catalog, row['id'])
        file = next(f for f in os.listdir(folder) if f.lower() == 'skill.md')
        name, description, body = corpus.read_skill(os.path.join(folder, file))
        name = name or row['name'] or os.path.basename(folder)
        part['name'].add(lex.encode(corpus.name_words(name)))
        part['card'].add(lex.encode(corpus.card(name, description)))
        part['description'].add(lex.encode(description))
        parts = corpus.sections(body)
        for path, heading, lines in parts:
            part['path'].add(lex.encode(' › '.join(path)))
            part['heading'].add(lex.encode(corpus.plain(heading)))
            for line, code in lines:
                part['segment'].add(lex.encode(line))
                seg_section.append(len(owner['section']))
                seg_chars.append(len(line) + 1)
                seg_code.append(code)
            owner['section'].append(n)
        for kind, texts in (('bullet', corpus.when_bullets(parts)),
                            ('sentence', corpus.description_sentences(description)),
                            ('reference', corpus.reference_titles(folder))):
            for t in texts:
                part[kind].add(lex.encode(t))
                owner[kind].append(n)
        skills.append({'id': row['id'], 'repo': row['repo'], 'name': name, 'cluster': row['near_dup_cluster']})
        if n % 5000 == 4999:
            print(n + 1, len(lex.types), f'{time.time() - began:.0f} s', flush=True)
    data = {'skills': skills, 'types': lex.types, **{k: r.arrays() for k, r in part.items()},
            **{f'{k}_owner': np.array(v, 'i4') for k, v in owner.items()},
            'segment_section': np.array(seg_section, 'i4'), 'segment_chars': np.array(seg_chars, 'i4'),
            'segment_code': np.array(seg_code, bool)}
    with open(a.out, 'wb') as f:
        pickle.dump(data, f, 4)
    print(len(skills), 'skills', len(lex.types), 'types', len(data['segment'][0]) / 1e6, 'M body words', f'{time.time() - began:.0f} s')


if __name__ == '__main__':
    main()
