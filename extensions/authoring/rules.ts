/** Which rules count, and how much: off in a file by a comment of its author, or switched for all skills by the configuration. */

import type { Diagnostic, Severity } from '../../src/app/extension-api.ts';
import { positionAt } from '../../src/base/text.ts';
import { diagnose, isRule } from '../../src/skills/diagnostics.ts';

/** By id; rules that are not named keep their severity. */
export type RuleSettings = Readonly<Record<string, Severity | 'off' | undefined>>;

/** `<!-- skillgate-disable link-dead, when-missing -->`, or after the sign of a comment of another language. */
const COMMENT = /(?:<!--|#|\/\/|\/\*|;|--)[ \t]*skillgate-disable((?:[ \t,]+[a-z\d]+(?:-[a-z\d]+)*)+)/g;

/** The rules that a file switches off for itself, and those that it names and there are not. */
export function switchesIn(text: string, path: string): { off: string[]; unknown: Diagnostic[] } {
  const off: string[] = [];
  const unknown: Diagnostic[] = [];
  if (!text.includes('skillgate-disable')) return { off, unknown };
  for (const { 1: names = '', index } of text.matchAll(COMMENT))
    for (const name of names.split(/[ \t,]+/).filter((each) => each !== ''))
      if (isRule(name)) off.push(name);
      else
        unknown.push(
          diagnose('rule-unknown', path, `skillgate-disable names no rule: ${name}.`, {
            fix: 'Write an id of docs/diagnostics.md.',
            ...positionAt(text, index),
          }),
        );
  return { off, unknown };
}

/** A diagnostic as the configuration wants it: with another severity, or null where its rule is off. */
export function asSet(diagnostic: Diagnostic, rules: RuleSettings): Diagnostic | null {
  const set = rules[diagnostic.id];
  if (set === 'off') return null;
  return set === undefined ? diagnostic : { ...diagnostic, severity: set };
}
