/** The output of a quality run: a table, JSON, TREC runs for other tools, and SVG plots. */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Comparison, compare } from './evaluation/compare.ts';
import type { Evaluation } from './evaluation/evaluation.ts';
import {
  calibrationLine,
  claimsOf,
  columns,
  evaluationTable,
  noMatchLine,
  percent,
  severalLine,
} from './evaluation/table.ts';
import { trecRun } from './evaluation/trec-run.ts';
import type { EfCurve } from './hnsw.ts';
import { machine } from './machine.ts';
import type { Measured } from './measure.ts';
import { recallByEf } from './plots/hnsw.ts';
import { qualityByLatency, qualityBySize, type SizePoint } from './plots/quality.ts';
import { reliabilityDiagram } from './plots/reliability.ts';
import type { PlotSpec } from './plots/render.ts';
import { PRODUCT } from './systems/all.ts';

/** All figures of one dataset. The last four are null unless an option asks for them. */
export interface Results extends Measured {
  readonly dataset: string;
  readonly skills: number;
  readonly embedder: string;
  /** How many of the first hits no one has judged: a line of the report. */
  readonly holes: string;
  /** Relevant skills that are not in the catalog. They count as never found. */
  readonly missing: readonly string[];
  readonly sizes: readonly SizePoint[] | null;
  /** The product on a catalog without the answers to half of the queries. */
  readonly withheld: Evaluation | null;
  /** The product on the same catalog, with foreign requests added to the queries. */
  readonly foreign: Evaluation | null;
  readonly hnsw: EfCurve | null;
}

/** Measures by which systems are compared query by query. */
const COMPARED = ['Hit@1', 'nDCG@10'];

/** The product compared with each other system. */
export function comparisons(evaluations: readonly Evaluation[]): Comparison[] {
  const product = evaluations.find(({ system }) => system === PRODUCT.name);
  if (product === undefined || product.queries === 0) return [];
  return evaluations
    .filter((evaluation) => evaluation !== product)
    .flatMap((baseline) => COMPARED.map((measure) => compare(baseline, product, measure)));
}

export function summary(results: Results): string {
  const { dataset, skills, embedder, holes, evaluations, skipped, missing, sizes, withheld, foreign, hnsw } =
    results;
  const product = evaluations.find(({ system }) => system === PRODUCT.name);
  const notes = [
    holes,
    ...evaluations.flatMap(severalLine),
    ...(product === undefined ? [] : [...noMatchLine(product), ...calibrationLine(product)]),
    ...(withheld === null ? [] : noMatchLine(withheld, 'no-match queries, half of the answers taken out')),
    ...(foreign === null ? [] : noMatchLine(foreign, 'no-match queries, foreign requests among them')),
    ...(hnsw === null
      ? []
      : hnsw.points.map(({ ef, recall }) => `HNSW, ef ${ef}: recall@10 ${recall.toFixed(4)}`)),
    ...skipped.map(({ system, reason }) => `${system} did not run: ${reason}.`),
    ...(missing.length === 0
      ? []
      : [`${missing.length} relevant skills are not in the catalog and count as never found.`]),
  ];
  return [
    `${dataset}: ${skills} skills, model ${embedder}\n`,
    evaluationTable(evaluations, { groups: true }),
    comparisonTable(comparisons(evaluations)),
    sizes === null ? '' : sizeTable(sizes),
    notes.map((note) => `${note}\n`).join(''),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

/** Each system by the number of skills; empty where a system is too slow for the size. */
function sizeTable(sizes: readonly SizePoint[]): string {
  const systems = new Set(sizes.flatMap(({ evaluations }) => evaluations.map(({ system }) => system)));
  const rows = [...systems].map((name) => [
    name,
    ...sizes.map(({ evaluations }) => {
      const means = evaluations.find(({ system }) => system === name)?.means;
      return means === undefined ? '' : COMPARED.map((measure) => percent(means[measure])).join(' / ');
    }),
  ]);
  return columns([[`${COMPARED.join(' / ')} of`, ...sizes.map(({ size }) => `${size} skills`)], ...rows]);
}

function comparisonTable(all: readonly Comparison[]): string {
  const rows = all.map(({ measure, baseline, difference, interval, pValue, differences }) => {
    const better = differences.filter((row) => row.difference > 0).length;
    return [
      baseline.system,
      measure,
      signed(difference),
      `${signed(interval[0])} … ${signed(interval[1])}`,
      pValue < 0.001 ? '< 0.001' : pValue.toFixed(3),
      String(better),
      String(differences.length - better),
    ];
  });
  const head = [`${PRODUCT.name} against`, 'measure', 'gain', '95 % interval', 'p', 'better on', 'worse on'];
  return rows.length === 0 ? '' : columns([head, ...rows]);
}

const signed = (value: number) => `${value < 0 ? '−' : '+'}${percent(Math.abs(value))}`;

/** Writes `<dataset>.json`, `<dataset>.<system>.run` and the plots as SVG. Returns the paths. */
export async function writeResults(folder: string, results: Results): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const { dataset, evaluations } = results;
  const written: string[] = [];
  const write = async (name: string, text: string) => {
    written.push(join(folder, `${dataset}.${name}`));
    await writeFile(written.at(-1)!, text);
  };
  await write('json', `${JSON.stringify(toJson(results), null, 2)}\n`);
  for (const evaluation of evaluations) await write(`${evaluation.system}.run`, trecRun(evaluation));
  // Loaded last: plots need the largest packages of the project, and the files above must be written even if they fail.
  const { renderSvg } = await import('./plots/render.ts');
  for (const [name, spec] of plotsOf(results)) await write(`${name}.svg`, await renderSvg(spec));
  return written;
}

function plotsOf({ dataset, evaluations, sizes, withheld, hnsw }: Results): [name: string, spec: PlotSpec][] {
  const product = evaluations.find(({ system }) => system === PRODUCT.name);
  const claims = claimsOf([...(product?.results ?? []), ...(withheld?.results ?? [])]);
  const plots: [string, PlotSpec][] = [['quality-by-latency', qualityByLatency(dataset, evaluations)]];
  if (sizes !== null) plots.push(['quality-by-size', qualityBySize(dataset, sizes)]);
  if (hnsw !== null) plots.push(['hnsw-recall', recallByEf(dataset, hnsw)]);
  if (claims.length > 0) plots.push(['reliability', reliabilityDiagram(dataset, claims)]);
  return plots;
}

/** Without the rankings, which are in the TREC runs. */
function toJson({ evaluations, sizes, withheld, foreign, ...rest }: Results): unknown {
  const figures = ({ results, ...evaluation }: Evaluation) => evaluation;
  return {
    ...rest,
    machine: machine(),
    systems: evaluations.map(figures),
    comparisons: comparisons(evaluations),
    sizes: sizes?.map(({ size, evaluations: all }) => ({ size, systems: all.map(figures) })) ?? null,
    withheld: withheld === null ? null : figures(withheld),
    foreign: foreign === null ? null : figures(foreign),
  };
}
