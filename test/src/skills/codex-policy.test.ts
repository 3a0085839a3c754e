import { describe, expect, it } from 'vitest';
import { restrictByPolicy } from '../../../src/skills/codex-policy.ts';

const restricted = (text: string, audience: 'all' | 'models' | 'people' = 'all') =>
  restrictByPolicy(audience, new TextEncoder().encode(text));

describe('restrictByPolicy', () => {
  it.each([
    ['policy:\n  allow_implicit_invocation: false\n', 'people'],
    ['interface:\n  display_name: Tea\npolicy: { allow_implicit_invocation: false }\n', 'people'],
    ['policy:\n  allow_implicit_invocation: true\n', 'all'],
    ['policy:\n  allow_implicit_invocation: "false"\n', 'all'],
    ['policy: false\n', 'all'],
    ['policy: [\n', 'all'],
    ['', 'all'],
    [`a: [${'x, '.repeat(5_000)}]\npolicy: { allow_implicit_invocation: false }\n`, 'all'],
  ])('%j leaves the skill to %s', (text, audience) => {
    expect(restricted(text)).toBe(audience);
  });

  it('leaves a skill for models alone to none', () => {
    expect(restricted('policy: { allow_implicit_invocation: false }', 'models')).toBe('none');
    expect(restricted('policy: { allow_implicit_invocation: false }', 'people')).toBe('people');
  });
});
