"""Training pairs: a short view and a passage of one skill, drawn at random from the interned corpus."""
import numpy as np

from tokens import UNK


class Pieces:
    """Ragged lists of word ids → ragged lists of piece ids without [UNK], all lists at once."""

    def __init__(self, wordpiece, types):
        pieces = [[p for p in wordpiece.word(w) if p != UNK] for w in types]
        self.length = np.array([len(x) for x in pieces])
        self.start = np.concatenate([[0], np.cumsum(self.length)])
        self.flat = np.array([p for x in pieces for p in x], 'i4')

    def __call__(self, ids, start):
        n = self.length[ids]
        at = np.concatenate([[0], np.cumsum(n)])
        return self.flat[np.repeat(self.start[ids] - at[:-1], n) + np.arange(at[-1])], at[start]


def ragged(pair, limit=10**9):
    ids, start = pair
    return [ids[a:min(b, a + limit)] for a, b in zip(start[:-1].tolist(), start[1:].tolist())]


def by_owner(items, owner, n):
    out = [[] for _ in range(n)]
    for x, o in zip(items, owner):
        if len(x):
            out[o].append(x)
    return out


class Skills:
    """Per skill: name, card, sentences, bullets, reference titles, sections as (path, heading, text) of piece ids."""

    def __init__(self, data, wordpiece, section_pieces=240, sections=20):
        pieces = Pieces(wordpiece, data['types'])
        n = len(data['skills'])
        self.name = ragged(pieces(*data['name']))
        self.card = ragged(pieces(*data['card']), 300)
        self.sentences, self.bullets, self.references = (
            by_owner(ragged(pieces(*data[k]), 100), data[f'{k}_owner'], n) for k in ('sentence', 'bullet', 'reference'))
        path, heading = ragged(pieces(*data['path'])), ragged(pieces(*data['heading']))
        ids, start = data['segment']
        first = np.searchsorted(data['segment_section'], np.arange(len(data['section_owner']) + 1))
        text = ragged(pieces(ids, start[first]), section_pieces)
        self.sections = [[] for _ in range(n)]
        for s, o in enumerate(data['section_owner'].tolist()):
            if len(self.sections[o]) < sections and len(text[s]) >= 6:
                self.sections[o].append((path[s], heading[s], text[s]))

    def chunk(self, i, rng, section=None):
        """A passage of the body as it is embedded: name words › heading path, text."""
        path, _, text = section or self.sections[i][rng.integers(len(self.sections[i]))]
        return np.concatenate([self.name[i], path, text])


def drop(x, share, rng):
    if share <= 0 or len(x) < 3:
        return x
    keep = rng.random(len(x)) >= share
    return x[keep] if keep.sum() >= 2 else x


def draw(s, i, rng):
    """→ (view, passage) of skill i, or None where it has too little text."""
    sections, r = s.sections[i], rng.random()
    passage = s.card[i]
    if s.bullets[i] and r < .30:
        view = s.bullets[i][rng.integers(len(s.bullets[i]))]
        if sections and rng.random() < .3:
            passage = s.chunk(i, rng)
    elif s.references[i] and r < .34:
        view = s.references[i][rng.integers(len(s.references[i]))]
    elif sections and r < .60:
        path, heading, text = sections[rng.integers(len(sections))]
        if len(heading) >= 2 and rng.random() < .4:
            view = heading
        else:
            k = int(rng.integers(6, 40))
            at = int(rng.integers(0, max(1, len(text) - k)))
            view = text[at:at + k]
        if len(sections) > 1 and rng.random() < .3:
            passage = s.chunk(i, rng)
    elif r < .82 or not sections:
        parts = s.sentences[i]
        if len(parts) > 1 and rng.random() < .6:
            j = rng.integers(len(parts))
            view = parts[j]
            passage = np.concatenate([s.name[i]] * int(rng.random() < .8) + [p for k, p in enumerate(parts) if k != j])
        else:
            mask = rng.random(len(s.card[i])) < .5
            view, passage = s.card[i][mask], np.concatenate([s.name[i], s.card[i][~mask]])
    else:
        view = s.sentences[i][rng.integers(len(s.sentences[i]))] if s.sentences[i] else s.name[i]
        passage = s.chunk(i, rng)
    if len(view) < 2 or len(passage) < 2:
        return None
    return drop(view, .15, rng), drop(passage, .1, rng)
