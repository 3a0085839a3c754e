"""Tuned table → the folder that ships: the model's file and the fixtures of the TypeScript tests.

    python3 export.py --vocab WORK/vocab.txt --table WORK/tuned.npy [more tables: their mean ships] --out ../static
"""
import argparse
import json
import os

import numpy as np

from table import dequantise, quantise, save, unit
from tokens import SPECIAL, UNK, WordPiece, read_vocab

NAME = 'skillgate-static-256'

# Python and TypeScript must agree on these: each asks one question of the tokenizer or of the pooling.
TEXTS = [
    '', ' ', '\n\t ', 'a', 'PDF', 'Fill in a PDF form and flatten it',
    'deploy a Next.js app to Vercel', 'kubernetes', 'Kubernetes kubernetes KUBERNETES',
    'How do I roll back a bad migration in PostgreSQL?', "don't won't it's", 'e-mail, end-to-end (E2E) tests',
    'snake_case camelCase PascalCase kebab-case', 'const x: Map<string, number[]> = new Map();',
    '```bash\nnpm install --save-dev typescript@5.4\n```', '$HOME/.config && echo "done" | tee log.txt',
    'https://example.org/path?query=1&x=%20#frag', 'a+b=c^2 ~ `code` <tag attr="v"/>', '3.14159 1,000,000 0xDEADBEEF v2.0.1-rc.3',
    'naïve café résumé Übergröße', 'Crème brûlée à la carte', 'İstanbul ılık ŞİŞLİ', 'Straße ﬁle Ⅷ ½',
    'Привет, мир', 'Ελληνικά σοφός', 'مرحبا بالعالم', 'हिन्दी में लिखें', 'שלום עולם',
    '将 PDF 转换为 Word 文档', '日本語のテキストを解析する', 'ガイド と がぎぐ', '한국어 문서 요약',
    'emoji 🚀 launch 👩‍💻 and ❤️', '🚀🚀', 'arrow→glued and arrow → free', '“curly” ‘quotes’ – dashes — and … dots',
    'price €20 £30 ¥40 ₿1', 'non\u00a0breaking\u2003spaces\u200bzero width', 'soft\u00adhyphen and \ufeffBOM and bell\x07',
    'x' * 100, 'x' * 101, 'pneumonoultramicroscopicsilicovolcanoconiosis', 'qzxv wqkj zzyzx', '!!! ??? ...',
    'name words › Heading › Sub-heading\nText of a passage, as it is embedded.',
    'A long request. ' * 200, 'table | of | cells\n|---|---|\n| 1 | 2 |', '# Heading\n\n- [ ] task\n- [x] done **bold** _it_',
]


def write(path, value, **kw):
    with open(path, 'w', encoding='utf-8') as f:
        json.dump(value, f, ensure_ascii=False, **kw)
        f.write('\n')


def fixtures(q, scale, wordpiece):
    table, out = dequantise(q, scale), []
    for text in TEXTS:
        ids = wordpiece.encode(text)
        mean = table[ids].mean(0) if ids else np.zeros(table.shape[1], 'f4')
        out.append({'text': text, 'ids': ids, 'norm': round(float(np.linalg.norm(mean)), 6),
                    'head': [round(float(x), 6) for x in unit(mean)[:8]]})
    return out


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('--vocab', required=True)
    ap.add_argument('--table', nargs='+', required=True)
    ap.add_argument('--out', required=True)
    a = ap.parse_args()
    vocab = read_vocab(a.vocab)
    rows = np.mean([np.load(t).astype('f8') for t in a.table], 0)
    rows[:len(SPECIAL)] = 0  # [UNK] among them: an unknown word says nothing
    assert vocab[:len(SPECIAL)] == SPECIAL and vocab[UNK] == '[UNK]' and len(vocab) == len(rows)
    q, scale = quantise(rows)
    os.makedirs(a.out, exist_ok=True)
    save(os.path.join(a.out, 'model.safetensors'), NAME, vocab, q, scale)
    write(os.path.join(a.out, 'fixtures.json'), fixtures(q, scale, WordPiece(vocab)), indent=1)
    total = sum(os.path.getsize(os.path.join(top, f)) for top, _, files in os.walk(a.out) for f in files)
    print(len(vocab), 'rows', f'{total / 1e6:.2f} MB')


if __name__ == '__main__':
    main()
