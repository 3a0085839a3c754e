"""The embedding table: float rows while training, int8 rows with one scale each when shipped, as one safetensors file
(8 bytes length of the header, header as JSON, tensors); `src/search/embedding/model-file.ts` says what it holds."""
import hashlib
import json
import os
import zlib

import numpy as np

from tokens import MAX_WORD_CHARS, WordPiece, read_vocab

PAGE_ROWS = 16  # rows that share a checksum
DTYPES = {'U8': 'u1', 'I8': 'i1', 'U32': '<u4', 'F32': '<f4'}


def quantise(table, reach=127):
    """float[V × d] → (int8[V × d] within ±reach, float32[V] scale); row ≈ int8 · scale. A zero row stays zero."""
    scale = np.abs(table).max(1) / reach
    scale[scale == 0] = 1e-8
    return np.clip(np.round(table / scale[:, None]), -reach, reach).astype('i1'), scale.astype('f4')


def dequantise(q, scale):
    return q.astype('f4') * scale[:, None]


def unit(x):
    """Rows to length 1; zero rows stay zero."""
    return x / np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), 1e-12)


def hash_table(vocab):
    """Ends of the lines, hashes, slots and the longest piece, as `src/search/embedding/vocabulary.ts` looks them up."""
    pieces = [(0x2f0b4c47, p[2:].encode()) if p.startswith('##') and p != '##' else (0x811c9dc5, p.encode()) for p in vocab]
    bits = (2 * len(vocab) - 1).bit_length()
    hashes, slots = [], [0] * 2 ** bits
    for index, (value, piece) in enumerate(pieces):
        for byte in piece:
            value = (value << 5 & 0xffffffff | value >> 27) ^ byte
        slot = (value * 0x9e3779b1 & 0xffffffff) >> 32 - bits
        while slots[slot]:
            slot = (slot + 1) % len(slots)
        slots[slot] = index + 1
        hashes.append(value)
    ends = np.cumsum([len(p.encode()) + 1 for p in vocab]) - 1
    return ends.astype('<u4'), np.array(hashes, '<u4'), np.array(slots, '<u4'), max(len(piece) for _, piece in pieces)


def save(path, name, vocab, q, scale):
    """Writes the file that ships. Its id has a digest of the contents: vectors of two trainings never mix."""
    words = ''.join(f'{piece}\n' for piece in vocab).encode()
    ends, hashes, slots, longest = hash_table(vocab)
    pages = [zlib.crc32(q[at:at + PAGE_ROWS].tobytes()) for at in range(0, len(q), PAGE_ROWS)]
    tensors = {'ends': ends, 'hashes': hashes, 'pages': np.array(pages, '<u4'), 'scale': scale.astype('<f4'), 'slots': slots,
               'vocabulary': np.frombuffer(words, 'u1')}
    digest = hashlib.sha256(words + tensors['scale'].tobytes() + q.tobytes()).hexdigest()[:12]
    crc = zlib.crc32(b''.join(tensor.tobytes() for tensor in tensors.values()))
    header = {'__metadata__': {'id': f'{name}@{digest}', 'unknown_token': '[UNK]', 'max_word_chars': str(MAX_WORD_CHARS),
                               'longest_piece': str(longest), 'crc32': str(crc)}}
    tensors['emb'] = q
    at = 0
    for key, tensor in tensors.items():
        dtype = next(kind for kind, numpy in DTYPES.items() if tensor.dtype == np.dtype(numpy))
        header[key] = {'dtype': dtype, 'shape': list(tensor.shape), 'data_offsets': [at, at + tensor.nbytes]}
        at += tensor.nbytes
    text = json.dumps(header, separators=(',', ':')).encode()
    text += b' ' * (-len(text) % 8)
    with open(path, 'wb') as f:
        f.write(len(text).to_bytes(8, 'little') + text + b''.join(tensor.tobytes() for tensor in tensors.values()))


def read(path):
    """What `save` wrote → (vocabulary, int8[V × d], float32[V])."""
    with open(path, 'rb') as f:
        data = f.read()
    start = 8 + int.from_bytes(data[:8], 'little')
    header = json.loads(data[8:start])

    def tensor(name):
        (first, end), dtype = header[name]['data_offsets'], DTYPES[header[name]['dtype']]
        return np.frombuffer(data[start + first:start + end], dtype).reshape(header[name]['shape'])
    return tensor('vocabulary').tobytes().decode().split('\n')[:-1], tensor('emb'), tensor('scale')


def load(model, vocab=None):
    """A shipped model's folder, or a .npy table with its vocabulary → (float32[V × d] after int8, WordPiece)."""
    if os.path.isdir(model):
        pieces, q, scale = read(os.path.join(model, 'model.safetensors'))
        return dequantise(q, scale), WordPiece(pieces)
    return dequantise(*quantise(np.load(model).astype('f4'))), WordPiece(read_vocab(vocab))
