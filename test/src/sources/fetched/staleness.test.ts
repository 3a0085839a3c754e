import { describe, expect, it } from 'vitest';
import { ageText, staleNote } from '../../../../src/sources/fetched/staleness.ts';
import type { SourceStatus } from '../../../../src/sources/fetched.ts';

describe('ageText', () => {
  it.each([
    [0, '0 seconds'],
    [-5, '0 seconds'],
    [1_999, '1 second'],
    [119_000, '1 minute'],
    [7_200_000, '2 hours'],
    [200_000_000, '2 days'],
  ])('calls %i ms %s', (ms, text) => expect(ageText(ms)).toBe(text));
});

describe('staleNote', () => {
  const NOW = Date.parse('2026-06-01T12:00:00Z');
  const status = (more: Partial<SourceStatus>): SourceStatus => ({
    name: 'team',
    kind: 'git',
    origin: 'o',
    resolved: 'r',
    verifiedAt: '2026-06-01T09:00:00Z',
    failure: null,
    ...more,
  });

  it('gives the age of a source that is older than its interval, and the failure if there is one', () => {
    expect(staleNote(status({}), 60_000, NOW)).toBe('The source team was last checked 3 hours ago.');
    expect(staleNote(status({ failure: 'Nobody there.' }), 86_400_000, NOW)).toBe(
      'The source team could not be refreshed and shows its state of 3 hours ago. Nobody there.',
    );
  });

  it('says that the skills of a source that was never fetched are missing', () => {
    expect(staleNote(status({ verifiedAt: null }), 1, NOW)).toContain('its skills are missing');
    expect(staleNote(status({ verifiedAt: null, failure: 'Refused.' }), 1, NOW)).toBe(
      'The source team could not be fetched, so its skills are missing. Refused.',
    );
  });

  it('says nothing about a fresh source', () => {
    expect(staleNote(status({}), 4 * 3_600_000, NOW)).toBeNull();
  });
});
