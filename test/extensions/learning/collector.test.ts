import { beforeEach, describe, expect, it } from 'vitest';
import { Collector } from '../../../extensions/learning/collector.ts';
import type { Left, Load } from '../../../extensions/learning/history.ts';

const MINUTE = 60_000;

let now: number;
let events: (Load | Left)[];
let collector: Collector;
beforeEach(() => {
  now = 1_000_000_000;
  events = [];
  collector = new Collector(
    (event) => events.push(event),
    () => now,
  );
});

/** Words weigh 1 each. */
const search = (query: string, hits: readonly string[], who = 'mary') =>
  collector.searched(who, {
    query,
    words: query.split(' ').map((term) => ({ term, weight: 1 })),
    hits,
  });
const load = (id: string, who = 'mary') => collector.loaded(who, id);
const brief = () =>
  events.map((event) =>
    'instead' in event
      ? `${event.who} left ${event.skill} for ${event.instead ?? 'another search'}`
      : `${event.who} used ${event.skill} for ${event.request}`,
  );

describe('what is learned', () => {
  it('is the query of a search and the hit that was loaded', () => {
    search('fill a form', ['pdf', 'word']);
    load('pdf');
    expect(brief()).toEqual(['mary used pdf for fill a form']);
    expect(events[0]).toMatchObject({ at: 1_000_000 });
  });

  it('is nothing where no search found the skill, or another principal searched, or long ago', () => {
    load('pdf');
    search('fill a form', ['pdf']);
    load('git');
    load('pdf', 'paul');
    now += 31 * MINUTE;
    load('pdf');
    expect(events).toEqual([]);
  });

  it('is nothing for an empty query, and one use where a skill is loaded in pieces', () => {
    search('  ', ['pdf']);
    load('pdf');
    search('fill a form', ['pdf']);
    load('pdf');
    load('pdf');
    expect(brief()).toEqual(['mary used pdf for fill a form']);
  });

  it('holds no secret', () => {
    search('deploy with token ghp_0123456789abcdefghijklmnopqrstuvwxyz', ['ops']);
    load('ops');
    expect(JSON.stringify(events)).not.toContain('ghp_');
    expect(brief()).toEqual(['mary used ops for deploy with token ***']);
  });

  it('counts a later page to its search', () => {
    search('fill a form', ['pdf']);
    search('fill a form', ['word']);
    load('word');
    expect(brief()).toEqual(['mary used word for fill a form']);
  });

  it('belongs to the latest of several searches that found the skill', () => {
    search('fill a form', ['pdf']);
    search('merge files quickly', ['pdf', 'git']);
    load('pdf');
    expect(brief()).toEqual(['mary used pdf for merge files quickly']);
  });
});

describe('a load counts against its skill', () => {
  it('where another hit of the same answer is loaded soon', () => {
    search('fill a form', ['pdf', 'word', 'forms']);
    load('pdf');
    now += MINUTE;
    load('word');
    load('forms');
    expect(brief().filter((line) => line.includes('left'))).toEqual([
      'mary left pdf for word',
      'mary left pdf for forms',
      'mary left word for forms',
    ]);
  });

  it('where the same need is searched again soon, and not where another one is', () => {
    search('fill a form', ['pdf']);
    load('pdf');
    now += MINUTE;
    search('undo a commit', ['git']);
    expect(brief()).toHaveLength(1);
    search('fill a form field', ['word']);
    expect(brief()).toEqual(['mary used pdf for fill a form', 'mary left pdf for another search']);
  });

  it('not later, when the task may be another one', () => {
    search('fill a form', ['pdf', 'word']);
    load('pdf');
    now += 4 * MINUTE;
    load('word');
    search('fill a form', ['pdf', 'word']);
    expect(brief().filter((line) => line.includes('left pdf'))).toEqual([]);
  });
});
