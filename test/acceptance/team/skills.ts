/** What a team's sources have: a skill each. */

import type { Skill } from './origins.ts';

interface Member {
  readonly id: string;
  readonly skill: Skill;
  readonly query: string;
}

/** Each source's skill, by the source's name. */
export const TEAM = {
  playbooks: {
    id: 'playbooks:pager',
    skill: { name: 'pager', about: 'Hand over the pager after a week on call.' },
    query: 'hand over the pager',
  },
  vault: {
    id: 'vault:payslips',
    skill: { name: 'payslips', about: 'Correct payslips once payroll has run.' },
    query: 'correct payslips once payroll has run',
  },
  studio: {
    id: 'studio:pottery/kiln',
    skill: { name: 'kiln', about: 'Fire stoneware in an electric kiln.', tools: 'kiln_start' },
    query: 'fire stoneware in an electric kiln',
  },
  bakery: {
    id: 'bakery:sourdough',
    skill: { name: 'sourdough', about: 'Bake bread with a sourdough starter.' },
    query: 'bake bread with a sourdough starter',
  },
  handbook: {
    id: 'handbook:reminders',
    skill: { name: 'reminders', about: 'Send reminders of unpaid invoices.' },
    query: 'reminders of unpaid invoices',
  },
} as const satisfies Record<string, Member>;
export type Name = keyof typeof TEAM;
export const NAMES = Object.keys(TEAM) as Name[];
/** The source that not everybody may see. */
export const HIDDEN: Name = 'vault';
export const OPEN = NAMES.filter((name) => name !== HIDDEN);
