import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { qualifiedIds, type Subject } from '../../../../src/gateway/policy/choice.ts';
import { compilePolicy, type PolicyOptions, type PolicyRule } from '../../../../src/gateway/policy/policy.ts';
import { LOCAL } from '../../../../src/gateway/policy/principal.ts';

const rule = (who: string, more: Partial<PolicyRule> = {}): PolicyRule => ({
  who: [who],
  allow: [],
  deny: [],
  tools: [],
  scripts: [],
  ...more,
});

const grants = (
  rules: readonly PolicyRule[],
  {
    id = 'alice',
    scopes = [] as string[],
    ...more
  }: { id?: string; scopes?: string[] } & Partial<PolicyOptions> = {},
) => compilePolicy({ disabled: [], rules, ...more }).grantsOf({ id, scopes });

const skill = (id: string, more: Partial<Subject> = {}): Subject => ({
  ids: qualifiedIds(id, 'team'),
  source: 'team',
  tags: [],
  suspicious: false,
  ...more,
});

describe('what a principal sees', () => {
  it('is nothing for an authenticated one without rules, and everything for the local user', () => {
    expect(grants([]).visible(skill('a'))).toBe(false);
    expect(grants([], { id: LOCAL.id })).toMatchObject({ everything: true });
    expect(grants([], { default: 'allow' }).everything).toBe(true);
    expect(grants([], { default: 'deny', id: LOCAL.id }).visible(skill('a'))).toBe(false);
  });

  it('is what matches all criteria of an allow list', () => {
    const own = grants(
      [rule('alice', { allow: [{ sources: ['team'], tags: ['pdf', 'csv'] }, { skills: ['b/*'] }] })],
      {
        default: 'allow',
      },
    );
    expect(own.visible(skill('a', { tags: ['pdf'] }))).toBe(true);
    expect(own.visible(skill('a', { tags: ['pdf'], source: 'other' }))).toBe(false);
    expect(own.visible(skill('a'))).toBe(false);
    expect(own.visible(skill('b/c'))).toBe(true);
    expect(own.everything).toBe(false);
  });

  it('excludes what any rule denies, even if another allows it', () => {
    const own = grants([rule('*', { deny: [{ tags: ['internal'] }] }), rule('alice', { allow: [{}] })]);
    expect(own.visible(skill('a'))).toBe(true);
    expect(own.visible(skill('a', { tags: ['internal'] }))).toBe(false);
  });

  it('follows the default where the applying rules have no allow list', () => {
    const only = [rule('*', { deny: [{ skills: ['x'] }], callsPerMinute: 5 })];
    expect(grants(only, { default: 'allow' }).visible(skill('a'))).toBe(true);
    expect(grants(only, { default: 'deny' }).visible(skill('a'))).toBe(false);
    expect(grants(only).visible(skill('a'))).toBe(false);
  });

  it('depends on scopes, which an id cannot imitate', () => {
    const rules = [rule('scope:staff', { allow: [{}] })];
    expect(grants(rules, { scopes: ['staff'] }).visible(skill('a'))).toBe(true);
    expect(grants(rules, { scopes: ['staffing'] }).visible(skill('a'))).toBe(false);
    expect(grants(rules, { id: 'scope:staff' }).visible(skill('a'))).toBe(false);
    expect(grants([rule('staff', { allow: [{}] })], { scopes: ['staff'] }).visible(skill('a'))).toBe(false);
  });

  it('matches a tag regardless of case, and nothing without tags', () => {
    const own = grants([rule('alice', { allow: [{ tags: ['PDF', 'Office-*'] }] })]);
    expect(own.visible(skill('a', { tags: ['pdf'] }))).toBe(true);
    expect(own.visible(skill('a', { tags: ['office-forms'] }))).toBe(true);
    expect(own.visible(skill('a'))).toBe(false);
    expect(grants([rule('alice', { allow: [{ tags: ['*'] }] })]).visible(skill('a'))).toBe(false);
  });

  it('does not follow from a scope that ends like a name of a rule', () => {
    // `group-` is as long as `scope:`.
    const rules = [rule('group-staff', { allow: [{}] })];
    expect(grants(rules, { scopes: ['staff'] }).visible(skill('a'))).toBe(false);
    expect(grants(rules, { id: 'group-staff' }).visible(skill('a'))).toBe(true);
  });

  it('can exclude skills that the scan marked', () => {
    const own = grants([rule('alice', { allow: [{}], deny: [{ suspicious: true }] })]);
    expect(own.visible(skill('a'))).toBe(true);
    expect(own.visible(skill('a', { suspicious: true }))).toBe(false);
  });

  it('never contains a disabled skill', () => {
    const own = grants([rule('alice', { allow: [{}] })], { disabled: ['a/*'], id: 'alice' });
    expect(own.visible(skill('a/b'))).toBe(false);
    expect(own.visible(skill('b'))).toBe(true);
    expect(own.everything).toBe(false);
  });

  it('does not change when another source brings the same id: both spellings match', () => {
    const own = grants([
      rule('alice', { allow: [{}], deny: [{ skills: ['secret/**'] }, { skills: ['team:plan'] }] }),
    ]);
    for (const id of ['secret/x', 'team:secret/x', 'plan', 'team:plan'])
      expect(own.visible(skill(id))).toBe(false);
  });

  it('is everything only by the policy’s rules', () => {
    expect(grants([rule('alice', { allow: [{}] })]).everything).toBe(true);
    expect(grants([rule('alice', { allow: [{ sources: ['*'], skills: ['**'] }] })]).everything).toBe(true);
    expect(grants([rule('alice', { allow: [{ sources: ['team', '*'] }] })]).everything).toBe(true);
    expect(grants([rule('alice', { allow: [{ tags: ['x'] }, {}] })]).everything).toBe(true);
    expect(grants([rule('alice', { allow: [{ tags: ['*'] }] })]).everything).toBe(false);
    expect(grants([rule('alice', { allow: [{}], deny: [{ skills: ['nothing-like-it'] }] })]).everything).toBe(
      false,
    );
    const open = compilePolicy({ default: 'allow', disabled: [], rules: [] });
    expect(open.grantsOf(LOCAL).everything).toBe(true);
  });
});

describe('what a principal may do', () => {
  it('is only what rules list, once one applies', () => {
    const own = grants([rule('alice', { tools: ['github/*'], scripts: ['docs/**'] })], { default: 'allow' });
    expect(own.mayCall('github', 'create_issue')).toBe(true);
    expect(own.mayCall('jira', 'create_issue')).toBe(false);
    expect(own.mayRun(skill('docs/pdf'))).toBe(true);
    expect(own.mayRun(skill('other'))).toBe(false);
    expect(grants([rule('*')], { default: 'allow' }).mayCall('github', 'x')).toBe(false);
  });

  it('is what any of its rules lists', () => {
    const own = grants([rule('*'), rule('alice', { tools: ['github/*'] })]);
    expect(own.mayCall('github', 'x')).toBe(true);
  });

  it('is the default where no rule applies', () => {
    expect(grants([rule('bob')], { default: 'allow' }).mayCall('github', 'x')).toBe(true);
    expect(grants([rule('bob')]).mayRun(skill('a'))).toBe(false);
  });

  it('is limited by the last rule that sets a limit', () => {
    const rules = [
      rule('*', { callsPerMinute: 10 }),
      rule('alice', { callsPerMinute: 100 }),
      rule('bob', { callsPerMinute: 1 }),
      rule('alice'),
    ];
    expect(grants(rules).callsPerMinute).toBe(100);
    expect(grants([]).callsPerMinute).toBeUndefined();
  });
});

describe('the reasons', () => {
  it('name the rule that decided', () => {
    const own = grants([
      rule('*', { deny: [{ tags: ['x'] }] }),
      rule('alice', { allow: [{ sources: ['team'] }] }),
    ]);
    expect(own.decide(skill('a', { tags: ['x'] })).because).toBe('Rule 1 (*) denies {"tags":["x"]}.');
    expect(own.decide(skill('a')).because).toBe('Rule 2 (alice) allows {"sources":["team"]}.');
    expect(own.decide(skill('a', { source: 'b' })).because).toBe(
      'Rules 1, 2 allow other skills, and no rule allows this one.',
    );
    expect(grants([]).decide(skill('a')).because).toBe(
      'No rule applies to this principal, and the default is deny.',
    );
    expect(grants([], { disabled: ['a'] }).decide(skill('a')).because).toBe(
      'It is disabled for all callers, by a.',
    );
    const other = { allow: [{ sources: ['other'] }] };
    expect(grants([rule('alice', other)]).decide(skill('a')).because).toBe(
      'Rule 1 allows other skills, and no rule allows this one.',
    );
    expect(grants([rule('alice')]).decide(skill('a')).because).toBe(
      'Rule 1 allows nothing by name, and the default is deny.',
    );
    expect(grants([rule('*'), rule('alice')], { default: 'allow' }).decide(skill('a')).because).toBe(
      'Rules 1, 2 allow nothing by name, and the default is allow.',
    );
    const both = compilePolicy({
      disabled: [],
      rules: [{ ...rule('bob'), who: ['bob', 'alice'], deny: [{}] }],
    });
    expect(both.grantsOf({ id: 'alice', scopes: [] }).decide(skill('a')).because).toBe(
      'Rule 1 (bob, alice) denies {}.',
    );
  });
});

describe('a policy', () => {
  it('restricts where principals may see different skills', () => {
    const restricts = (options: Partial<PolicyOptions>) =>
      compilePolicy({ disabled: [], rules: [], ...options }).restricts;
    expect(restricts({})).toBe(false);
    expect(restricts({ default: 'allow' })).toBe(false);
    expect(restricts({ default: 'deny' })).toBe(true);
    expect(restricts({ rules: [rule('alice')] })).toBe(true);
    expect(restricts({ default: 'allow', rules: [rule('alice')] })).toBe(true);
  });
});

describe('any policy', () => {
  const choice = fc.record(
    {
      sources: fc.subarray(['team', 'other', '*'], { minLength: 1 }),
      skills: fc.subarray(['a', 'a/*', 'b/**', '**'], { minLength: 1 }),
      tags: fc.subarray(['x', 'y*'], { minLength: 1 }),
      suspicious: fc.boolean(),
    },
    { requiredKeys: [] },
  );
  const anyRule = fc.record({
    who: fc.subarray(['alice', 'bob', '*', 'scope:s'], { minLength: 1 }),
    allow: fc.array(choice, { maxLength: 2 }),
    deny: fc.array(choice, { maxLength: 2 }),
    tools: fc.constant([]),
    scripts: fc.constant([]),
  });
  const anyOptions = fc.record({
    default: fc.constantFrom('allow' as const, 'deny' as const),
    disabled: fc.subarray(['a', 'b/*']),
    rules: fc.array(anyRule, { maxLength: 4 }),
  });
  const anySkill = fc
    .record({
      id: fc.constantFrom('a', 'a/b', 'b/c', 'c'),
      source: fc.constantFrom('team', 'other'),
      tags: fc.subarray(['x', 'yy']),
      suspicious: fc.boolean(),
    })
    .map(({ id, source, ...more }) => ({ ...skill(id, { source, ...more }), ids: qualifiedIds(id, source) }));

  it('shows no more after a further deny, and hides nothing where `everything` is true', () => {
    fc.assert(
      fc.property(anyOptions, choice, anySkill, (options, denied, subject) => {
        const alice = { id: 'alice', scopes: [] };
        const before = compilePolicy(options).grantsOf(alice);
        const after = compilePolicy({
          ...options,
          rules: [...options.rules, rule('alice', { deny: [denied] })],
        }).grantsOf(alice);
        if (after.visible(subject)) expect(before.visible(subject)).toBe(true);
        if (before.everything) expect(before.visible(subject)).toBe(true);
        expect(after.everything).toBe(false);
      }),
    );
  });

  it('gives principals with the same rules the same key, and others another', () => {
    const policy = compilePolicy({ disabled: [], rules: [rule('a*'), rule('scope:s')] });
    const key = (id: string, ...scopes: string[]) => policy.grantsOf({ id, scopes }).key;
    expect(key('anna')).toBe(key('alice'));
    expect(key('anna')).not.toBe(key('bob'));
    expect(key('anna')).not.toBe(key('anna', 's'));
    // One rule each, but not the same one.
    expect(key('anna')).not.toBe(key('bob', 's'));
  });
});
