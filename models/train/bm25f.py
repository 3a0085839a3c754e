"""BM25F (Robertson & Zaragoza 2009) over name, description and body of every skill: the lexical half of the hybrid.

Replaces the gateway's own index here, so that an evaluation shows what the model adds to words.
"""
import numpy as np
import scipy.sparse as sp

from corpus import bags
from tokens import words

STOP = set(
    'a an and are as at be by for from has have how i in into is it its me my of on or our that the this to use used '
    'using user users want wants need needs when what which with you your we they do does can help skill skills'.split())


class BM25F:
    def __init__(self, data, weights=(2, 1, .4), b=.75, k1=1.2):
        from nltk.stem.porter import PorterStemmer  # imported here: only evaluation needs nltk
        self.stem = PorterStemmer().stem
        self.terms, self.cache = {}, {}
        types = data['types']
        column = np.array([self.term(w, True) for w in types], 'i8')
        known = column >= 0
        width = len(self.terms)
        project = sp.csr_matrix((np.ones(known.sum(), 'f4'), (np.flatnonzero(known), column[known])),
                                shape=(len(types), width))
        ids, start = data['segment']
        n = len(data['skills'])
        # Heading lines belong to the body.
        owner = data['section_owner']
        seg_owner = owner[data['segment_section']]
        seg = bags(ids, start, len(types))
        head = bags(*data['heading'], len(types))
        gather = lambda o, m: sp.csr_matrix((np.ones(len(o), 'f4'), (o, np.arange(len(o)))), shape=(n, len(o))) @ m
        fields = [bags(*data['name'], len(types)), bags(*data['description'], len(types)),
                  gather(seg_owner, seg) + gather(owner, head)]
        fields = [(f @ project).tocsr() for f in fields]
        df = np.asarray(((fields[0] + fields[1] + fields[2]) > 0).sum(0)).ravel()
        self.idf = np.log(1 + (n - df + .5) / (df + .5)).astype('f4')
        total = None
        for f, w in zip(fields, weights):
            length = np.asarray(f.sum(1)).ravel()
            norm = (w / (1 - b + b * length / length.mean())).astype('f4')
            total = sp.diags(norm) @ f if total is None else total + sp.diags(norm) @ f
        total = total.tocsr()
        total.data = total.data * (k1 + 1) / (k1 + total.data)
        self.scores = (total @ sp.diags(self.idf)).T.tocsr().astype('f4')

    def term(self, w, grow=False):
        known = self.cache.get(w)
        if known is None:
            known = -1
            if w.isalnum() and w not in STOP:
                s = self.stem(w) if len(w) > 2 else w
                known = self.terms.setdefault(s, len(self.terms)) if grow else self.terms.get(s, -1)
            self.cache[w] = known
        return known

    def search(self, queries):
        """→ float32[queries × skills]"""
        rows, cols = [], []
        for i, q in enumerate(queries):
            for w in words(q):
                t = self.term(w)
                if t >= 0:
                    rows.append(i)
                    cols.append(t)
        q = sp.csr_matrix((np.ones(len(rows), 'f4'), (rows, cols)), shape=(len(queries), self.scores.shape[0]))
        return (q @ self.scores).toarray()
