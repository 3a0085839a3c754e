"""Text to words to WordPiece ids, as HF BertNormalizer + BertPreTokenizer + WordPiece define them.

The one tokenizer of training, evaluation and the fixtures; it must agree with `src/search/embedding/wordpiece.ts`. Words are interned once (`Lexicon`), so that a new vocabulary costs a sparse
product and no second pass over the text.
"""
import re
import sys
import unicodedata

import numpy as np
import scipy.sparse as sp

SPECIAL = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]']
UNK = 1
MAX_WORD_CHARS = 100  # WordPiece's max_input_chars_per_word: longer words become [UNK]

# CJK blocks that BertNormalizer surrounds with spaces. Those above the BMP are left out; the difference is one [UNK] or several, and the row of [UNK] is zero.
CJK = [(0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0xF900, 0xFAFF)]


def _tables():
    clean, marks, punct = {}, {}, []
    for code in range(sys.maxunicode + 1):
        char = chr(code)
        category = unicodedata.category(char)
        if char in '\t\n\r':
            clean[code] = ' '
        elif code == 0xFFFD or category in ('Cc', 'Cf', 'Co', 'Cs'):
            clean[code] = None
        elif char.isspace():
            clean[code] = ' '
        elif any(a <= code <= b for a, b in CJK):
            clean[code] = f' {char} '
        if category == 'Mn':
            marks[code] = None
        if category[0] == 'P' or (32 < code < 127 and not char.isalnum()):
            punct.append(code)
    ranges = []
    for code in punct:
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    inside = ''.join(f'{re.escape(chr(a))}-{re.escape(chr(b))}' for a, b in ranges)
    return clean, marks, re.compile(f'[^\\s{inside}]+|[{inside}]')


CLEAN, MARKS, WORDS = _tables()
ASCII_WORDS = re.compile(r'[a-z0-9]+|[!-/:-@\[-`{-~]')
ASCII_CONTROL = re.compile(r'[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]')


def words(text):
    """Text → normalised words, in order."""
    if text.isascii():
        if ASCII_CONTROL.search(text):
            text = ASCII_CONTROL.sub('', text)
        return ASCII_WORDS.findall(text.lower())
    text = unicodedata.normalize('NFD', text.translate(CLEAN).lower()).translate(MARKS)
    return WORDS.findall(text)


class Lexicon:
    """Interns words: word ↔ type id."""

    def __init__(self, types=()):
        self.types = list(types)
        self.ids = {w: i for i, w in enumerate(self.types)}

    def encode(self, text):
        ids, types = self.ids, self.types
        out = []
        for w in words(text):
            i = ids.get(w)
            if i is None:
                i = ids[w] = len(types)
                types.append(w)
            out.append(i)
        return out


class WordPiece:
    """Greedy longest match from the left; a word with an unknown rest is one [UNK]."""

    def __init__(self, vocab):
        self.vocab = list(vocab)
        self.ids = {w: i for i, w in enumerate(self.vocab)}
        self.cache = {}

    def __len__(self):
        return len(self.vocab)

    def word(self, w):
        known = self.cache.get(w)
        if known is not None:
            return known
        out, i = [], 0
        if len(w) > MAX_WORD_CHARS:
            out, i = [UNK], len(w)
        while i < len(w):
            for j in range(len(w), i, -1):
                piece = self.ids.get(('##' if i else '') + w[i:j])
                if piece is not None:
                    break
            else:
                out = [UNK]
                break
            out.append(piece)
            i = j
        self.cache[w] = out
        return out

    def encode(self, text):
        return [p for w in words(text) for p in self.word(w)]

    def matrix(self, types):
        """csr[types × vocabulary]: how often each piece occurs in each word; [UNK] is left out."""
        rows, cols = [], []
        for i, w in enumerate(types):
            for p in self.word(w):
                if p != UNK:
                    rows.append(i)
                    cols.append(p)
        ones = np.ones(len(rows), 'f4')
        return sp.csr_matrix((ones, (rows, cols)), shape=(len(types), len(self)))


def read_vocab(path):
    with open(path, encoding='utf-8') as f:
        return f.read().split('\n')
