/** The diagnostics of `skillgate validate` for people: by file, then by rule. More than a screen only where it is asked for. */

import type { Severity } from '../../../src/app/extension-api.ts';
import { counted, named, oneLine } from '../../../src/base/text.ts';
import { colours, print } from '../../../src/cli/output.ts';
import { ruleMeaning } from '../../../src/skills/diagnostics.ts';
import { countsByRule, type Located, WORST_FIRST } from '../report.ts';

/** Lines where the height of the terminal is not known, and the least of one. */
const SCREEN = 40;
const LEAST = 10;
const COLOUR = { error: colours.red, warning: colours.yellow, info: colours.dim } as const;

/** Files with the worst first. Without `all` at most a screen; every rule that was broken is counted in any case. */
export function showRemarks(found: readonly Located[], all: boolean): void {
  const rules = countsByRule(found);
  const room = all
    ? Number.POSITIVE_INFINITY
    : Math.max(LEAST, (process.stdout.rows ?? SCREEN) - rules.length - 6);
  const hints = new Set<string>();
  let lines = 0;
  let shown = 0;
  for (const [file, own] of byFile(found)) {
    if (lines + 2 > room) break;
    print(colours.bold(named(file)));
    lines += 1;
    for (const { diagnostic } of own) {
      if (lines >= room) break;
      const { severity, id, message, fix, position } = diagnostic;
      const place = position === undefined ? '' : `${position.line}:${position.column}`;
      print(
        `  ${place.padStart(7)}  ${COLOUR[severity](severity.padEnd(7))}  ${oneLine(message)} ${colours.dim(id)}`,
      );
      lines += 1;
      shown += 1;
      // The same hint once.
      if (fix === undefined || hints.has(fix)) continue;
      hints.add(fix);
      print(`           ${colours.green('→')} ${oneLine(fix)}`);
      lines += 1;
    }
  }
  if (shown < found.length)
    print(colours.dim(`${counted(found.length - shown, 'more remark')}; --all prints them all.`));
  if (rules.length > 1) {
    print('');
    for (const { id, severity, found: times } of rules)
      print(
        `  ${String(times).padStart(6)}  ${COLOUR[severity](severity.padEnd(7))}  ${id}  ${colours.dim(ruleMeaning(id))}`,
      );
    print('');
  }
}

function byFile(found: readonly Located[]): [string, readonly Located[]][] {
  const files = new Map<string, Located[]>();
  for (const each of found) {
    const own = files.get(each.file);
    if (own === undefined) files.set(each.file, [each]);
    else own.push(each);
  }
  const worst = (own: readonly Located[]) =>
    Math.min(...own.map(({ diagnostic }) => severityRank(diagnostic.severity)));
  return [...files].sort(([, a], [, b]) => worst(a) - worst(b));
}

const severityRank = (severity: Severity) => WORST_FIRST.indexOf(severity);
