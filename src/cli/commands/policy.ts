/** `skillgate policy explain`: what a principal may see and why. For operators: it also names skills that the principal cannot see. */

import type { CommonOptions } from '../../app/settings.ts';
import { counted } from '../../base/text.ts';
import { listSubjects, toSubject } from '../../gateway/policy/choice.ts';
import type { Grants } from '../../gateway/policy/policy.ts';
import { compilePolicy } from '../../gateway/policy/policy.ts';
import type { Principal } from '../../gateway/policy/principal.ts';
import { resolveSkill } from '../../gateway/resolve.ts';
import { EXIT } from '../exit-codes.ts';
import { colours, print, printJson } from '../output.ts';
import { withLibrary } from './with-gateway.ts';

/** Skills listed for each reason. */
const EXAMPLES = 3;

export interface ExplainOptions extends CommonOptions {
  readonly scope?: readonly string[];
}

/** Exits with 3 for a skill that the principal cannot see. */
export async function explain(id: string, skill: string | undefined, options: ExplainOptions): Promise<void> {
  const principal: Principal = { id, scopes: options.scope ?? [] };
  await withLibrary(options, async (library, { config }) => {
    const grants = compilePolicy(config.policy).grantsOf(principal);
    const { reader, precedence } = await library.current();
    if (skill !== undefined)
      return explainSkill(principal, resolveSkill(reader, skill, precedence), grants, options);
    const reasons = new Map<string, { visible: boolean; skills: number; examples: string[] }>();
    const subjects = listSubjects(reader);
    for (const ordinal of reader.ordinalsByKey()) {
      const subject = subjects.get(ordinal);
      if (subject === undefined) continue;
      const { allowed, because } = grants.decide(subject);
      const reason = reasons.get(because) ?? { visible: allowed, skills: 0, examples: [] };
      reasons.set(because, reason);
      reason.skills += 1;
      if (reason.examples.length < EXAMPLES) reason.examples.push(reader.key(ordinal));
    }
    show(principal, grants, reasons, options);
  });
}

type Reasons = ReadonlyMap<string, { visible: boolean; skills: number; examples: readonly string[] }>;

function show(principal: Principal, grants: Grants, reasons: Reasons, { json }: CommonOptions): void {
  const all = [...reasons].map(([because, reason]) => ({ because, ...reason }));
  const visible = all.reduce((sum, reason) => sum + (reason.visible ? reason.skills : 0), 0);
  const total = all.reduce((sum, { skills }) => sum + skills, 0);
  if (json === true) {
    printJson({ principal, visible, total, callsPerMinute: grants.callsPerMinute, reasons: all });
    return;
  }
  print(`${principal.id} sees ${visible} of ${counted(total, 'skill')}.`);
  for (const reason of all)
    print(
      `  ${reason.visible ? colours.green('visible') : colours.red('hidden')} ${reason.skills}: ${reason.because} For example ${reason.examples.join(', ')}.`,
    );
  if (grants.callsPerMinute !== undefined) print(`  at most ${grants.callsPerMinute} calls a minute`);
}

function explainSkill(
  principal: Principal,
  entry: Parameters<typeof toSubject>[0],
  grants: Grants,
  { json }: CommonOptions,
): void {
  const subject = toSubject(entry);
  const { allowed, because } = grants.decide(subject);
  const scripts = allowed && grants.mayRun(subject);
  if (json === true) printJson({ principal, skill: entry.id, visible: allowed, because, scripts });
  else {
    print(`${entry.id} is ${allowed ? colours.green('visible') : colours.red('hidden')}. ${because}`);
    if (allowed) print(`The policy ${scripts ? 'allows' : 'forbids'} its scripts.`);
  }
  if (!allowed) process.exitCode = EXIT.notFound;
}
