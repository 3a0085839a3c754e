/** `skillgate index`: updates the index and prints what changed. */

import type { CommonOptions } from '../../app/settings.ts';
import { counted } from '../../base/text.ts';
import type { IndexReport } from '../../catalog/indexing/report.ts';
import { whyNotWritable } from '../../catalog/writable-index.ts';
import { CliError } from '../exit-codes.ts';
import { colours, print, printReport, say } from '../output.ts';
import { withLibrary } from './with-gateway.ts';

/** Diagnostics printed in full; `validate` and `--json` print all. */
const SHOWN = 10;

export async function index(dirs: readonly string[], options: CommonOptions): Promise<void> {
  const skills = [...dirs, ...(options.skills ?? [])];
  const report = await withLibrary(
    { ...options, skills },
    async (library, { indexFolder }) => assertKept(await library.update(), indexFolder),
    'due',
  );
  if (options.json === true) printReport(report);
  else show(report);
}

/** An index in memory answers a search; for this command it is a failure. */
function assertKept(report: IndexReport, folder: string): IndexReport {
  const reason = whyNotWritable(folder);
  if (reason === null || report.added + report.changed + report.removed === 0) return report;
  throw new CliError(
    'FAILED',
    `The index folder ${folder} cannot be written (${reason}). Make it writable, or give another with --index.`,
  );
}

function show(report: IndexReport): void {
  const { added, changed, removed, kept, empty } = report;
  if (report.restarted !== null) say(`${report.restarted} The index was rebuilt.`);
  const notable = report.diagnostics.filter(({ diagnostic }) => diagnostic.severity === 'error');
  for (const { skill, diagnostic } of notable.slice(0, SHOWN))
    say(`${colours.yellow(diagnostic.id)} ${skill ?? ''} ${diagnostic.path}: ${diagnostic.message}`);
  const rest = report.diagnostics.length - Math.min(SHOWN, notable.length);
  if (rest > 0) say(`${counted(rest, 'more diagnostic')}: see \`skillgate validate\`.`);
  print(
    `${counted(report.skills, 'skill')}, ${counted(report.passages, 'passage')} in generation ${report.generation}.`,
  );
  const counts = { added, changed, removed, kept, 'without content': empty };
  const changes = Object.entries(counts).filter(([, count]) => count > 0);
  print(
    `${changes.map(([what, count]) => `${count} ${what}`).join(', ') || 'no changes'} · ${Math.round(report.tookMs)} ms`,
  );
  if (report.hnswRecall !== null)
    print(`HNSW finds ${(100 * report.hnswRecall).toFixed(1)} % of the ten nearest vectors.`);
}
