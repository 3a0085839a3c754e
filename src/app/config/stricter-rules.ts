/** Where a caller judges a project, as in CI: what the project says about rules counts only where it is stricter. */

import { DIAGNOSTICS, isRule } from '../../skills/diagnostics.ts';
import type { Layer } from './layers.ts';
import { asMapping, type Settings } from './untrusted.ts';

const MILDEST_FIRST = ['off', 'info', 'warning', 'error'];

/** The project's layer without rules that are milder than the caller's, and the ids of these. */
export function withoutMilderRules(
  layer: Layer,
  caller: Layer | undefined,
): { readonly layer: Layer; readonly milder: readonly string[] } {
  const value = asMapping(layer.value);
  const rules = rulesIn(value);
  const ofCaller = rulesIn(asMapping(caller?.value));
  const strictness = (severity: unknown) => MILDEST_FIRST.indexOf(String(severity));
  const before = (id: string) => ofCaller[id] ?? (isRule(id) ? DIAGNOSTICS[id].severity : 'off');
  const milder = Object.keys(rules).filter((id) => strictness(rules[id]) < strictness(before(id)));
  if (milder.length === 0) return { layer, milder };
  const kept = Object.fromEntries(Object.entries(rules).filter(([id]) => !milder.includes(id)));
  return { layer: { ...layer, value: { ...value, validate: { rules: kept } } }, milder };
}

const rulesIn = (value: Settings | null): Settings => asMapping(asMapping(value?.validate)?.rules) ?? {};
