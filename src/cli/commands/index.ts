/** `skillgate index`: brings the index up to date and says what changed. */

import type { IndexReport } from '../../indexing/report.ts';
import { colours, print, printJson, say } from '../output.ts';
import type { CommonOptions } from '../settings.ts';
import { withLibrary } from './with-gateway.ts';

/** Diagnostics shown one by one; `validate` and `--json` show all. */
const SHOWN = 10;

export async function index(dirs: readonly string[], options: CommonOptions): Promise<void> {
  const skills = [...dirs, ...(options.skills ?? [])];
  const report = await withLibrary({ ...options, skills }, (library) => library.update(), 'due');
  if (options.json === true) printJson(report);
  else show(report);
}

function show(report: IndexReport): void {
  const { added, changed, removed, kept, empty } = report;
  if (report.restarted !== null) say(`${report.restarted} The index was made again.`);
  const notable = report.diagnostics.filter(({ diagnostic }) => diagnostic.severity === 'error');
  for (const { skill, diagnostic } of notable.slice(0, SHOWN))
    say(`${colours.yellow(diagnostic.id)} ${skill ?? ''} ${diagnostic.path}: ${diagnostic.message}`);
  const rest = report.diagnostics.length - Math.min(SHOWN, notable.length);
  if (rest > 0) say(`${rest} more remarks on skills: see \`skillgate validate\`.`);
  print(`${report.skills} skills, ${report.passages} passages in generation ${report.generation}.`);
  const counts = { added, changed, removed, kept, 'without content': empty };
  const parts = Object.entries(counts).filter(([, count]) => count > 0);
  print(
    `${parts.map(([what, count]) => `${count} ${what}`).join(', ') || 'nothing to do'} · ${Math.round(report.tookMs)} ms`,
  );
  if (report.hnswRecall !== null)
    print(`HNSW finds ${(100 * report.hnswRecall).toFixed(1)} % of the exact ten nearest.`);
}
