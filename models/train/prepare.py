"""Catalog folder → one file of interned words: names, descriptions, sections, segments, and the short texts ("views")
that stand for a skill.

    python3 prepare.py --catalog CATALOG_DIR --index catalog.jsonl.xz --out WORK/corpus.pkl

All later steps work on word ids; the text itself is not kept. What a passage is (size, prefix) is decided in `corpus.py`.
"""
import argparse
import json
import lzma
import os
import pickle
import re
import time

import numpy as np
import yaml

from tokens import Lexicon

FENCE = re.compile(r'^\s{0,3}(```|~~~)')
HEADING = re.compile(r'^(#{1,6})\s+(.*?)\s*#*\s*$')
BULLET = re.compile(r'^\s*(?:[-*+]|\d+[.)])\s+(.*)$')
# Sections whose bullets say when a skill applies: the closest thing to a query that an author writes.
WHEN = re.compile(
    r'when (to|should)|use (this|when|case)|trigger|activat|example (prompt|request|quer|usage)|sample prompt'
    r'|user (says|asks|request)|scenario|applies to|invoke', re.I)
# "Use this skill when the user wants to …" says nothing; what follows does.
LEAD_IN = re.compile(
    r'^(use|activate|invoke|apply|trigger)( this skill)?( when| for| if)?[: ]*(the |a )?'
    r'(user (wants to|needs to|asks to|asks for|says|mentions|is|wants|needs|asks)[: ]*)?', re.I)
SENTENCE = re.compile(r'(?<=[.!?;])\s+')
LONG_LINE = 400  # characters; longer lines are cut at spaces so that a chunk can end inside them


def read_skill(path):
    """SKILL.md → (name, description, body). Broken frontmatter is read line by line, never refused."""
    with open(path, encoding='utf-8', errors='replace', newline=None) as f:
        text = f.read().lstrip('\ufeff')
    m = re.match(r'\s*---[ \t]*\n(.*?)\n---[ \t]*(?:\n|$)', text, re.S)
    if not m:
        return '', '', text
    head, body = m.group(1), text[m.end():]
    try:
        meta = yaml.load(head, Loader=getattr(yaml, 'CSafeLoader', yaml.SafeLoader))
    except (yaml.YAMLError, ValueError):
        meta = None
    if not isinstance(meta, dict):
        meta = dict(re.findall(r'^(name|description):[ \t]*[\'"]?(.*?)[\'"]?[ \t]*$', head, re.M))
    return str(meta.get('name') or ''), str(meta.get('description') or ''), body


def name_words(name):
    return re.sub(r'[-_:/]+', ' ', name).strip()


def card(name, description):
    return f'{name_words(name)}: {description}'


def sections(body):
    """Body → list of (heading path, own heading, [(line, in a code fence)]), in order."""
    out = [((), '', [])]
    path, fence = [], None
    for line in body.split('\n'):
        f = FENCE.match(line)
        if f and (fence is None or f.group(1) == fence):
            fence = f.group(1) if fence is None else None
        h = None if fence or f else HEADING.match(line)
        if h:
            level = len(h.group(1))
            path = [p for p in path if p[0] < level] + [(level, h.group(2))]
            out.append((tuple(t for _, t in path), h.group(2), []))
        elif line.strip():
            for piece in cut(line):
                out[-1][2].append((piece, bool(fence)))
    return [s for s in out if s[1] or s[2]]


def cut(line):
    while len(line) > LONG_LINE:
        at = line.rfind(' ', LONG_LINE // 2, LONG_LINE)
        at = at if at > 0 else LONG_LINE
        yield line[:at]
        line = line[at:]
    yield line


def plain(text):
    """Markdown links, images and emphasis → their words, for the training views only."""
    text = re.sub(r'!\[[^\]]*\]\([^)]*\)', ' ', text)
    text = re.sub(r'\[([^\]]*)\]\([^)]*\)', r'\1', text)
    return re.sub(r'https?://\S+|\*\*|`|__', ' ', text)


def when_bullets(parts):
    """Bullets of the when-to-use sections without their lead-in, 3 to 30 words."""
    out = []
    for path, heading, lines in parts:
        if not WHEN.search(heading):
            continue
        for line, code in lines:
            m = None if code else BULLET.match(line)
            if m:
                b = LEAD_IN.sub('', re.sub(r'\s+', ' ', plain(m.group(1))).strip(' -*"“”\''))
                if 3 <= len(b.split()) <= 30:
                    out.append(b.strip(' "“”:,'))
    return out[:12]


def description_sentences(description):
    out = [LEAD_IN.sub('', s) for s in SENTENCE.split(plain(description))]
    return [s for s in out if len(s) > 12][:8]


def reference_titles(folder):
    """Names of the Markdown files next to SKILL.md, as words. Skips folders of evals."""
    out = []
    for top, dirs, files in os.walk(folder):
        if top != folder and any(f.lower() == 'skill.md' for f in files):
            dirs[:] = []  # another skill
            continue
        dirs[:] = sorted(d for d in dirs if not d.startswith('.') and 'eval' not in d.lower() and d != 'node_modules')
        for f in sorted(files):
            stem, ext = os.path.splitext(f)
            if ext.lower() == '.md' and stem.lower() not in ('skill', 'readme', 'license', 'changelog', 'index'):
                out.append(name_words(stem))
        if len(out) >= 20:
            break
    return out[:20]


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
        name, description, body = read_skill(os.path.join(folder, file))
        name = name or row['name'] or os.path.basename(folder)
        part['name'].add(lex.encode(name_words(name)))
        part['card'].add(lex.encode(card(name, description)))
        part['description'].add(lex.encode(description))
        parts = sections(body)
        for path, heading, lines in parts:
            part['path'].add(lex.encode(' › '.join(path)))
            part['heading'].add(lex.encode(plain(heading)))
            for line, code in lines:
                part['segment'].add(lex.encode(line))
                seg_section.append(len(owner['section']))
                seg_chars.append(len(line) + 1)
                seg_code.append(code)
            owner['section'].append(n)
        for kind, texts in (('bullet', when_bullets(parts)),
                            ('sentence', description_sentences(description)),
                            ('reference', reference_titles(folder))):
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
