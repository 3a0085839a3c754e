"""What is kept back for measuring: whole repositories, and one skill in ten of the queries of the others.

A skill of another repository that bears the name of a held one, or lies in its cluster of near-duplicates, is a
copy more often than not; it goes too.
"""
import hashlib

import numpy as np


def held(data, file):
    """→ bool[skills]: true where the skill, or a namesake or near-duplicate of it, is of a repository named in `file`."""
    skills = data['skills']
    if not file:
        return np.zeros(len(skills), bool)
    with open(file, encoding='utf-8') as f:
        repos = {line.strip() for line in f if line.strip()}
    own = np.array([s['repo'] in repos for s in skills])
    names = {s['name'].lower() for s, o in zip(skills, own) if o}
    clusters = {s['cluster'] for s, o in zip(skills, own) if o and s['cluster'] is not None}
    return np.array([o or s['name'].lower() in names or s['cluster'] in clusters for s, o in zip(skills, own)])


def kept(data, file):
    return np.flatnonzero(~held(data, file))


def tenth(skill_id):
    """True for one skill in ten, by its id alone."""
    return hashlib.sha256(skill_id.encode()).digest()[0] % 10 == 0
