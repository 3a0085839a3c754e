import { describe, expect, it } from 'vitest';
import { type WorkOptions, worklist } from '../../../extensions/explore/worklist.ts';
import type { LoggedCall } from '../../../extensions/usage/calls.ts';
import { summariseUsage } from '../../../extensions/usage/usage.ts';
import type { Diagnostic } from '../../../src/skills/skill.ts';

const remark = (id: string, severity: Diagnostic['severity'] = 'warning'): Diagnostic => ({
  id,
  severity,
  path: 'SKILL.md',
  position: { line: 3, column: 1 },
  message: `It has ${id}.`,
});
const SKILLS = ['acme__tools/pdf', 'acme__tools/csv', 'other/tls', 'other/dns'].map((id) => ({
  id,
  source: 'local',
  mine: id.startsWith('acme'),
}));
const call = (name: string, minute: number, rest: Partial<LoggedCall>): LoggedCall => ({
  time: `2026-11-20T12:${String(minute).padStart(2, '0')}:00.000Z`,
  who: 'ann',
  call: name,
  outcome: 'ok',
  ...rest,
});

const work = (options: Partial<WorkOptions> = {}) =>
  worklist({ skills: SKILLS, remarks: new Map(), collisions: [], asked: [], ...options });

describe('worklist', () => {
  it('begins with keys and attacks, then what cannot be loaded, collisions, dead files, and the rest', () => {
    const { items } = work({
      remarks: new Map([
        ['acme__tools/pdf', [remark('when-missing', 'info'), remark('link-dead'), remark('secret-found')]],
        ['acme__tools/csv', [remark('mention-dead'), remark('yaml-invalid', 'error')]],
        ['other/tls', [remark('text-suspicious')]],
      ]),
      collisions: [
        ['acme__tools/pdf', 'other/tls'],
        ['acme__tools/csv', 'acme__tools/pdf'],
      ],
    });
    // The pair across two folders is for two owners: it is no work of one.
    expect(items.map(({ kind, folder }) => `${kind} ${folder}`)).toEqual([
      'danger acme__tools',
      'danger other',
      'unloadable acme__tools',
      'collision acme__tools',
      'dead acme__tools',
      'small acme__tools',
    ]);
    // Dead files of both skills are one item of their folder.
    expect(items[4]).toMatchObject({ skills: 2 });
  });

  it('counts skills by folder, and says which ones are the caller’s', () => {
    expect(work().folders).toEqual([
      { name: 'acme__tools', skills: 2, mine: true },
      { name: 'other', skills: 2, mine: false },
    ]);
    expect(work().items).toEqual([]);
  });

  it('has what agents asked in vain, and not what the page was asked', async () => {
    const calls = [
      call('search', 0, { query: 'bake bread', hits: [], fit: 0.1, weak: true }),
      call('explore.search', 1, { query: 'si', hits: [], fit: 0.1, weak: true }),
      call('search', 2, { query: 'sign a pdf', hits: ['other/tls'], fit: 0.9, weak: false }),
    ];
    const { weak } = await summariseUsage(
      calls,
      SKILLS.map(({ id }) => id),
      null,
    );
    expect(work({ asked: weak }).items).toEqual([
      { kind: 'asked', folder: null, query: 'bake bread', times: 1 },
    ]);
  });
});
