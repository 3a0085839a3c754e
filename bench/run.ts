/** `npm run bench`: the commands of the benchmark. What each does is in the file of its name, or in `speed/`. */

import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError } from 'commander';
import { EvaluationError } from '../src/evaluation/public.ts';
import { ARMS, armsNamed } from './systems/all.ts';

const RESULTS = fileURLToPath(new URL('results', import.meta.url));

const README = 'put the output into bench/README.md';

const collect = (value: string, all: readonly string[] = []) => [...all, value];

function systems(value: string, all: readonly string[] = []): readonly string[] {
  try {
    armsNamed([value]);
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
  }
  return [...all, value];
}

function wholeNumber(value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1)
    throw new InvalidArgumentError('It must be a whole number from 1.');
  return number;
}

const sizes = (list: string) => list.split(',').map(wholeNumber);

const bench = new Command('npm run bench --')
  .description('Measures skillgate and its rivals.')
  .showHelpAfterError('(--help lists the options)');

bench
  .command('quality', { isDefault: true })
  .description('how good the answers are: all systems on the same catalog, in one run (default)')
  .option('--dataset <dir>', 'folder with queries.jsonl and qrels.tsv; repeat for several', collect)
  .option('--skills <dir>', 'folder with the skills that they ask about; repeat for several', collect)
  .option('--system <name>', `only this one of ${ARMS.map(({ name }) => name).join(', ')}; repeat`, systems)
  .option('--queries <n>', 'only this many queries, drawn by chance', wholeNumber)
  .option('--sizes <list>', 'also on catalogs of these sizes, as 100,1000', sizes)
  .option('--withhold', 'also with the skills that half of the queries need taken out')
  .option('--foreign', 'also with requests that no skill is for (datasets/foreign)')
  .option('--hnsw', 'also the recall of an HNSW graph against its ef')
  .option('--full', 'all of these')
  .option('--embedder <model>', 'embedding model (default: the shipped one)')
  .option('--out <dir>', 'where JSON, runs and plots go', RESULTS)
  .option('--write-expected', 'keep the figures of the shipped datasets as bench/expected.json')
  .option('--write-readme', README)
  .action(async (options) => (await import('./quality.ts')).measureQuality(options));

bench
  .command('speed')
  .description('how long the built command line and server take, and what they use, by size of the catalog')
  .option(
    '--skills <dir>',
    'folder with skills to grow catalogs from; repeat (default: the examples)',
    collect,
  )
  .option('--sizes <list>', 'catalogs of these sizes', sizes, [100, 1_000, 5_000, 25_000])
  .option('--queries <file>', 'queries.jsonl to ask (default: those of the shipped dataset)')
  .option('--repeat <n>', 'fresh processes per figure, of which the median counts', wholeNumber, 3)
  .option('--searches <n>', 'warm searches', wholeNumber, 1_000)
  .option('--seed <n>', 'of the grown catalogs', wholeNumber, 1)
  .option('--work <dir>', 'work there, and keep the grown catalogs for the next run')
  .option('--no-peers', 'skillgate alone')
  .option('--against <file>', 'print the ratios to an earlier speed.json')
  .option('--program <file>', 'what to run (default: dist/skillgate.js)')
  .option('--out <dir>', 'where speed.json and growth.svg go', RESULTS)
  .option('--write-readme', README)
  .action(async (options) => (await import('./speed/run.ts')).measureSpeed(options));

bench
  .command('load')
  .description('many askers at once: 50 MCP clients with a server each, then 50 in one process')
  .option('--skills <dir>', 'folder with skills; repeat for several (default: the examples)', collect)
  .option('--queries <file>', 'queries.jsonl to ask (default: those of the shipped dataset)')
  .option('--clients <n>', 'askers', wholeNumber, 50)
  .option('--seconds <n>', 'how long each of the two asks', wholeNumber, 60)
  .option('--program <file>', 'what to run (default: dist/skillgate.js)')
  .option('--write-readme', README)
  .action(async (options) => (await import('./speed/load.ts')).measureLoad(options));

bench
  .command('churn')
  .description('searches while nothing happens, and while skills are edited')
  .option('--skills <dir>', 'folder with skills; repeat for several (default: the examples)', collect)
  .option('--queries <file>', 'queries.jsonl to ask (default: those of the shipped dataset)')
  .option('--seconds <n>', 'how long each of the two takes', wholeNumber, 60)
  .option('--program <file>', 'what to run (default: dist/skillgate.js)')
  .option('--write-readme', README)
  .action(async (options) => (await import('./speed/churn.ts')).measureChurn(options));

bench
  .command('http')
  .description('what the built server bears over HTTP, beside the bare handler of the SDK')
  .option('--skills <dir>', 'folder with skills; repeat for several (default: the examples)', collect)
  .option('--queries <file>', 'queries.jsonl to ask (default: those of the shipped dataset)')
  .option('--connections <n>', 'connections that never pause', wholeNumber, 100)
  .option('--seconds <n>', 'how long', wholeNumber, 60)
  .option('--program <file>', 'what to run (default: dist/skillgate.js)')
  .option('--out <dir>', 'where http.json goes', RESULTS)
  .option('--write-readme', README)
  .action(async (options) => (await import('./http.ts')).measureHttp(options));

bench
  .command('sandbox')
  .description('what running a script in the sandbox costs beside running it bare')
  .option('--repeat <n>', 'turns, of which the median counts', wholeNumber, 30)
  .option('--out <dir>', 'where sandbox.json goes', RESULTS)
  .action(async (options) => (await import('./sandbox.ts')).measureSandbox(options));

bench
  .command('bundles')
  .description('whether a bundle holds all the skills that a task with several parts needs')
  .option('--dataset <dir>', 'folder with queries.jsonl and qrels.tsv; repeat for several', collect)
  .option('--skills <dir>', 'folder with the skills that they ask about; repeat for several', collect)
  .option('--need-all', 'tasks need all of their best skills, where their queries have no "parts"')
  .option('--write-readme', README)
  .action(async (options) => (await import('./bundles.ts')).measureBundles(options));

bench
  .command('stuffing')
  .description('whether a skill stuffed with the words of a query rises')
  .requiredOption('--index <dir>', 'an index of the shipped model, made with skillgate index --index DIR')
  .requiredOption('--dataset <dir>', 'folder with queries.jsonl and qrels.tsv about its skills')
  .option('--queries <n>', 'queries, drawn by chance', wholeNumber, 100)
  .option('--seed <n>', 'of the drawing', wholeNumber, 1)
  .option('--write-readme', README)
  .action(async (options) => (await import('./stuffing.ts')).measureStuffing(options));

bench
  .command('lengths')
  .description('how words, vectors and the product do on short and on long queries')
  .requiredOption('--index <dir>', 'an index of the shipped model, made with skillgate index --index DIR')
  .requiredOption(
    '--dataset <dir>',
    'folder with queries.jsonl and qrels.tsv about its skills; repeat',
    collect,
  )
  .option('--write-readme', README)
  .action(async (options) => (await import('./lengths.ts')).measureLengths(options));

bench.addHelpText('after', '\nnpm run bench -- quality --help lists the options of the default command.');

await bench.parseAsync().catch((error: unknown) => {
  // What is wrong with a dataset is said in a sentence; anything else is a fault of ours and keeps its trace.
  if (!(error instanceof EvaluationError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
