"""Tuned table → the folder that ships: tokenizer, config, ONNX graph and the fixtures of the TypeScript tests.

    python3 export.py --vocab WORK/vocab.txt --table WORK/tuned.npy [more tables: their mean ships] --out ../static

The graph is what transformers.js loads as a feature extractor: input_ids int64 → Gather(int8 `emb`) → Cast →
Mul(Gather(`scale`)) → last_hidden_state. The mean over tokens and the unit length are the caller's.
"""
import argparse
import json
import os

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper

from table import dequantise, quantise, unit
from tokens import SPECIAL, UNK, WordPiece, read_vocab

ID, VERSION = 'skillgate-static-256', 1
TOKENIZER_CONFIG = {
    'tokenizer_class': 'BertTokenizer', 'model_max_length': 1000000, 'do_lower_case': True, 'pad_token': '[PAD]',
    'unk_token': '[UNK]', 'cls_token': '[CLS]', 'sep_token': '[SEP]', 'mask_token': '[MASK]',
    'clean_up_tokenization_spaces': True}

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


def graph(q, scale):
    d = q.shape[1]
    ids = h.make_tensor_value_info('input_ids', T.INT64, ['batch', 'sequence'])
    out = h.make_tensor_value_info('last_hidden_state', T.FLOAT, ['batch', 'sequence', d])
    nodes = [h.make_node('Gather', ['emb', 'input_ids'], ['rows']), h.make_node('Cast', ['rows'], ['floats'], to=T.FLOAT),
             h.make_node('Gather', ['scale', 'input_ids'], ['scales']),
             h.make_node('Mul', ['floats', 'scales'], ['last_hidden_state'])]
    init = [numpy_helper.from_array(q, 'emb'), numpy_helper.from_array(scale[:, None], 'scale')]
    model = h.make_model(h.make_graph(nodes, 'static', [ids], [out], init), opset_imports=[h.make_opsetid('', 13)],
                         producer_name='skillgate')
    model.ir_version = 8
    onnx.checker.check_model(model)
    return model


def tokenizer(vocab):
    ids = {w: i for i, w in enumerate(vocab)}
    return {'version': '1.0', 'truncation': None, 'padding': None,
            'added_tokens': [{'id': ids[t], 'content': t, 'single_word': False, 'lstrip': False, 'rstrip': False,
                              'normalized': False, 'special': True} for t in SPECIAL],
            'normalizer': {'type': 'BertNormalizer', 'clean_text': True, 'handle_chinese_chars': True,
                           'strip_accents': None, 'lowercase': True},
            'pre_tokenizer': {'type': 'BertPreTokenizer'}, 'post_processor': None,
            'decoder': {'type': 'WordPiece', 'prefix': '##', 'cleanup': True},
            'model': {'type': 'WordPiece', 'unk_token': '[UNK]', 'continuing_subword_prefix': '##',
                      'max_input_chars_per_word': 100, 'vocab': ids}}


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
    os.makedirs(os.path.join(a.out, 'onnx'), exist_ok=True)
    onnx.save(graph(q, scale), os.path.join(a.out, 'onnx', 'model_quantized.onnx'))
    write(os.path.join(a.out, 'tokenizer.json'), tokenizer(vocab))
    write(os.path.join(a.out, 'tokenizer_config.json'), TOKENIZER_CONFIG, indent=2)
    write(os.path.join(a.out, 'config.json'), {
        'model_type': 'bert', 'architectures': ['StaticModel'], 'hidden_size': rows.shape[1], 'vocab_size': len(vocab),
        'skillgate': {'id': ID, 'pooling': 'mean', 'version': VERSION}}, indent=2)
    write(os.path.join(a.out, 'fixtures.json'), fixtures(q, scale, WordPiece(vocab)), indent=1)
    total = sum(os.path.getsize(os.path.join(top, f)) for top, _, files in os.walk(a.out) for f in files)
    print(len(vocab), 'rows', f'{total / 1e6:.2f} MB')


if __name__ == '__main__':
    main()
