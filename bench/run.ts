/** `npm run bench`: the commands of the benchmark. Each command is in the file of its name, or in `speed/`. */

import { Command, InvalidArgumentError, Option } from 'commander';
import { DatasetError } from '../extensions/eval/dataset.ts';
import { here } from './paths.ts';
import { commandLine } from './results-file.ts';
import { SYSTEMS, systemsNamed } from './systems/all.ts';

const RESULTS = here('results');

const collect = (value: string, all: readonly string[] = []) => [...all, value];

function systems(value: string, all: readonly string[] = []): readonly string[] {
  try {
    systemsNamed([value]);
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

/** A new object each time: commander keeps state in it. */
const skills = () =>
  new Option('--skills <dir>', 'folder with skills; repeat for several (default: the examples)').argParser(
    collect,
  );
const datasets = () =>
  new Option('--dataset <dir>', 'folder with queries.jsonl and qrels.tsv; repeat for several').argParser(
    collect,
  );
const index = () =>
  new Option('--index <dir>', 'index of the shipped model, made with skillgate index').makeOptionMandatory();
const queriesFile = () =>
  new Option('--queries <file>', 'queries.jsonl to ask (default: those of the shipped dataset)');
const program = () => new Option('--program <file>', 'built program to run (default: dist/skillgate.cjs)');
const out = (files: string) => new Option('--out <dir>', `folder for ${files}`).default(RESULTS);
const write = () =>
  new Option('--write', 'also replace the section of this run in bench/RESULTS.md').preset(
    commandLine(process.argv.slice(2)),
  );

const bench = new Command('npm run bench --')
  .description('Measures skillgate, and other ways to search skills on the same data.')
  .showHelpAfterError('(--help lists the options)');

bench
  .command('quality', { isDefault: true })
  .description('how good the answers are: all systems on the same catalog, in one run (default)')
  .addOption(datasets())
  .addOption(skills())
  .option(
    '--system <name>',
    `only this one of ${SYSTEMS.map(({ name }) => name).join(', ')}; repeat`,
    systems,
  )
  .option('--queries <n>', 'only this many queries, drawn at random', wholeNumber)
  .option('--sizes <list>', 'also on catalogs of these sizes, as 100,1000', sizes)
  .option('--withhold', 'also without the skills that answer half of the queries')
  .option('--foreign', 'also with requests that no skill answers (datasets/foreign)')
  .option('--hnsw', 'also the recall of an HNSW graph by its ef')
  .option('--full', 'all of these')
  .option('--embedder <model>', 'embedding model (default: the shipped one)')
  .addOption(out('JSON, runs and plots'))
  .option('--write-expected', 'write the figures of the shipped datasets to bench/expected.json')
  .addOption(write())
  .action(async (options) => (await import('./quality.ts')).measureQuality(options));

bench
  .command('speed')
  .description('time and resources of the built command line and server, by size of the catalog')
  .addOption(skills())
  .option('--quick', 'under ten minutes: small catalogs, no peers, each figure as a ratio to the floors')
  .option('--sizes <list>', 'catalogs of these sizes (default: 100,1000,5000,25000; quick: 100,1000)', sizes)
  .addOption(queriesFile())
  .option('--repeat <n>', 'fresh processes per figure; the median counts', wholeNumber, 3)
  .option('--searches <n>', 'warm searches', wholeNumber, 1_000)
  .option('--seed <n>', 'seed of the grown catalogs', wholeNumber, 1)
  .option('--work <dir>', 'folder for temporary files; keeps the grown catalogs for the next run')
  .option('--no-peers', 'skillgate alone')
  .option('--against <file>', 'also print the ratios to an earlier speed.json')
  .addOption(program())
  .addOption(out('speed.json and growth.svg'))
  .addOption(write())
  .action(async (options) => (await import('./speed/run.ts')).measureSpeed(options));

bench
  .command('grow')
  .description('how cost grows: as speed, at 1,000 skills, 10,000 … and the largest, with the exponents')
  .addOption(skills())
  .requiredOption(
    '--to <n>',
    'skills of the largest catalog, made by changing copies of the given ones',
    wholeNumber,
  )
  .addOption(queriesFile())
  .option('--repeat <n>', 'fresh processes per figure; the median counts', wholeNumber, 3)
  .option('--searches <n>', 'warm searches', wholeNumber, 1_000)
  .option('--seed <n>', 'seed of the grown catalogs', wholeNumber, 1)
  .option('--work <dir>', 'folder for temporary files; keeps the grown catalogs for the next run')
  .addOption(program())
  .addOption(out('speed.json and growth.svg'))
  .addOption(write())
  .action(async (options) => (await import('./speed/run.ts')).measureSpeed({ peers: false, ...options }));

bench
  .command('peers')
  .description('databases and libraries that people would take instead: time, memory, first hits, in one run')
  .addOption(index())
  .requiredOption('--dataset <dir>', 'folder with queries.jsonl and qrels.tsv about its skills')
  .option('--only <words>', 'only peers whose name contains these words')
  .addOption(write())
  .action(async (options) => (await import('./speed/peers/compare.ts')).measurePeers(options));

bench
  .command('when')
  .description(
    'whether a model searches when it should, by the wording of the instructions (recorded choices)',
  )
  .addOption(write())
  .action(async (options) => (await import('./when.ts')).measureWhen(options));

bench
  .command('load')
  .description('many clients at once: 50 MCP clients with a server each, then 50 in one process')
  .addOption(skills())
  .addOption(queriesFile())
  .option('--clients <n>', 'clients', wholeNumber, 50)
  .option('--seconds <n>', 'duration of each measurement', wholeNumber, 60)
  .addOption(program())
  .addOption(write())
  .action(async (options) => (await import('./speed/load.ts')).measureLoad(options));

bench
  .command('churn')
  .description('searches of an idle catalog, and of one whose skills are edited')
  .addOption(skills())
  .addOption(queriesFile())
  .option('--seconds <n>', 'duration of each measurement', wholeNumber, 60)
  .addOption(program())
  .addOption(write())
  .action(async (options) => (await import('./speed/churn.ts')).measureChurn(options));

bench
  .command('http')
  .description('throughput of the built server over HTTP, next to the bare handler of the SDK')
  .addOption(skills())
  .addOption(queriesFile())
  .option('--connections <n>', 'connections that never pause', wholeNumber, 100)
  .option('--seconds <n>', 'duration of each measurement', wholeNumber, 60)
  .addOption(program())
  .addOption(out('http.json'))
  .addOption(write())
  .action(async (options) => (await import('./http.ts')).measureHttp(options));

bench
  .command('store')
  .description('several gateways on one PostgreSQL, next to one with an embedded index')
  .addOption(skills())
  .option('--index <dir>', 'index of these skills to begin with; it is copied (default: a new one)')
  .addOption(queriesFile())
  .option('--gateways <list>', 'numbers of gateways', sizes, [1, 2, 4])
  .option('--connections <n>', 'connections to each gateway that never pause', wholeNumber, 4)
  .option('--seconds <n>', 'duration of each measurement', wholeNumber, 20)
  .option('--changes <n>', 'published changes; the median counts', wholeNumber, 5)
  .option(
    '--linked-copies',
    'all gateways after the second begin with the files of its copy as links: for a disk that holds few copies',
  )
  .addOption(program())
  .addOption(out('store.json'))
  .addOption(write())
  .action(async (options) => (await import('./store.ts')).measureStore(options));

bench
  .command('attacks')
  .description('how long /healthz takes while the server is attacked, and how much memory the server takes')
  .option('--seconds <n>', 'length of each attack', wholeNumber, 6)
  .option('--only <words>', 'only attacks whose name contains these words')
  .addOption(out('attacks.json'))
  .addOption(write())
  .action(async (options) => (await import('./attacks.ts')).measureAttacks(options));

bench
  .command('soak')
  .description(
    'whether memory, descriptors and latencies stay flat under mixed load, kills, edits and refreshes',
  )
  .option('--minutes <n>', 'duration', wholeNumber, 90)
  .option('--kill-every <n>', 'seconds between two kills of the second gateway', wholeNumber, 180)
  .addOption(out('soak.json'))
  .addOption(write())
  .action(async (options) => (await import('./soak.ts')).measureSoak(options));

bench
  .command('sandbox')
  .description('what the sandbox adds to the time of a script')
  .option('--repeat <n>', 'rounds; the median counts', wholeNumber, 30)
  .addOption(out('sandbox.json'))
  .addOption(write())
  .action(async (options) => (await import('./sandbox.ts')).measureSandbox(options));

bench
  .command('languages')
  .description("skills in the user's own language in a catalog that is mostly English")
  .addOption(skills().makeOptionMandatory())
  .addOption(write())
  .action(async (options) => (await import('./languages.ts')).measureLanguages(options));

bench
  .command('near-misses')
  .description('small catalogs in which something is near but nothing fits')
  .addOption(index())
  .addOption(write())
  .action(async (options) => (await import('./near-misses.ts')).measureNearMisses(options));

bench
  .command('verdict')
  .description('whether the verdict is true in every style of asking')
  .addOption(index())
  .addOption(
    new Option('--half <name>', 'the repositories that are fitted to, or the others')
      .choices(['fit', 'unseen'])
      .default('fit'),
  )
  .option('--data <dir>', 'folder of the datasets of `requests`: skills carry their requests')
  .addOption(write())
  .action(async (options) => (await import('./verdict.ts')).measureVerdict(options));

bench
  .command('collisions')
  .description(
    'whether skills that an agent could not tell apart are found, on judged pairs of the public catalog',
  )
  .addOption(index())
  .option('--size <n>', 'skills of the random catalogs', wholeNumber, 343)
  .option('--seed <n>', 'seed of the random draws', wholeNumber, 1)
  .addOption(write())
  .action(async (options) => (await import('./collisions.ts')).measureCollisions(options));

bench
  .command('explore')
  .description('first paint, frames and memory of the page over a large catalog, in headless Chromium')
  .addOption(index())
  .addOption(skills().makeOptionMandatory())
  .option('--chromium <file>', 'browser to run', '/usr/bin/chromium')
  .option('--repeat <n>', 'fresh visits; the median counts', wholeNumber, 5)
  .addOption(program())
  .addOption(write())
  .action(async (options) => (await import('./explore.ts')).measureExplore(options));

bench
  .command('stuffing')
  .description('whether a skill stuffed with the words of a query rises')
  .addOption(index())
  .requiredOption('--dataset <dir>', 'folder with queries.jsonl and qrels.tsv about its skills')
  .option('--queries <n>', 'queries, drawn at random', wholeNumber, 100)
  .option('--seed <n>', 'seed of the random draws', wholeNumber, 1)
  .addOption(write())
  .action(async (options) => (await import('./stuffing.ts')).measureStuffing(options));

bench
  .command('learn')
  .description('what search learns from use: gain, harm, hostile principals, cost')
  .addOption(index())
  .requiredOption('--data <dir>', 'folder of the datasets train, agent, dev-2 and skill-evals')
  .option('--queries <n>', 'requests of each style', wholeNumber, 400)
  .option('--seed <n>', 'seed of the random draws', wholeNumber, 1)
  .addOption(write())
  .action(async (options) => (await import('./learn.ts')).measureLearning(options));

bench
  .command('requests')
  .description('what requests that skills carry find, and whom they displace')
  .addOption(index())
  .requiredOption('--data <dir>', 'folder of the datasets train, agent, dev, dev-2 and skill-evals')
  .option('--only <text>', 'only rows with this text in their name')
  .addOption(write())
  .action(async (options) => (await import('./requests.ts')).measureRequests(options));

bench
  .command('request-weights')
  .description('whether the weight of requests holds for other repositories')
  .addOption(index())
  .requiredOption('--data <dir>', 'folder of the datasets train, agent, dev, dev-2 and skill-evals')
  .addOption(write())
  .action(async (options) => (await import('./request-weights.ts')).measureWeights(options));

bench
  .command('lengths')
  .description('words, vectors and the product on short and on long queries')
  .addOption(index())
  .addOption(datasets().makeOptionMandatory())
  .addOption(write())
  .action(async (options) => (await import('./lengths.ts')).measureLengths(options));

bench
  .command('hint')
  .description('from which fit a prompt hook should speak')
  .addOption(index())
  .addOption(datasets().makeOptionMandatory())
  .addOption(write())
  .action(async (options) => (await import('./hint.ts')).measureHint(options));

bench
  .command('agent')
  .description(
    'queries that agents write: ranks next to other systems and other wordings, skills that a model chooses, tokens',
  )
  .addOption(index())
  .requiredOption('--dataset <dir>', 'folder with queries.jsonl {_id, text, request, style} and qrels.tsv')
  .addOption(skills().makeOptionMandatory())
  .option('--choices <file>', 'recorded choices to replay', here('datasets/agent/choices.jsonl'))
  .option('--chooser <url>', 'an OpenAI-compatible endpoint that chooses, as http://localhost:8080/v1')
  .option('--writer <url>', 'an endpoint that writes the queries from the requests')
  .option('--model <name>', 'model of these endpoints; the key is in OPENAI_API_KEY', 'default')
  .option('--record <file>', 'keep the choices of --chooser, to replay them with --choices')
  .addOption(program())
  .addOption(write())
  .action(async (options) => (await import('./agent.ts')).measureAgent(options));

bench
  .command('hosts')
  .description('what a model can see of the skill that it needs: in the lists of hosts, and in an answer')
  .addOption(index())
  .requiredOption('--dataset <dir>', 'folder with queries.jsonl and qrels.tsv about its skills')
  .addOption(skills().makeOptionMandatory())
  .option('--seed <n>', 'seed of the random draws', wholeNumber, 1)
  .addOption(program().default(here('../dist/skillgate.cjs')))
  .addOption(write())
  .action(async (options) => (await import('./hosts.ts')).measureHosts(options));

bench
  .command('shown')
  .description('how many skills each host describes to its model, and how many skillgate finds in one call')
  .requiredOption('--skills <dir>', 'a catalog: folders of repositories with skills')
  .option('--count <n>', 'skills that are drawn', wholeNumber, 330)
  .addOption(program().default(here('../dist/skillgate.cjs')))
  .addOption(write())
  .action(async (options) => (await import('./shown.ts')).measureShown(options));

bench
  .command('choices')
  .description('what a model chose from the lists of hosts and from answers, recorded')
  .addOption(index())
  .requiredOption('--dataset <dir>', 'folder of the collection agent')
  .requiredOption('--unfitting <dir>', 'folder of dev-2, whose requests of style task nothing is to fit')
  .addOption(skills().makeOptionMandatory())
  .option('--seed <n>', 'seed of the random draws', wholeNumber, 1)
  .option('--prepare <dir>', 'write what a model is shown, and choose nothing')
  .option('--collect <dir>', 'replace the recorded choices with the answers in this folder')
  .addOption(program().default(here('../dist/skillgate.cjs')))
  .addOption(write())
  .action(async (options) => (await import('./presented.ts')).measureChoices(options));

bench
  .command('tasks')
  .description(
    'whole tasks that need what only a skill says: without skills, with the list of a host, with skillgate',
  )
  .addOption(
    new Option('--prepare <way>', 'make the working folder of a solver').choices([
      'none',
      'host',
      'skillgate',
    ]),
  )
  .addOption(skills())
  .option('--size <n>', 'skills that are drawn from these, next to those of the tasks', wholeNumber, 300)
  .option('--seed <n>', 'seed of the random draw', wholeNumber, 1)
  .option('--out <dir>', 'the working folder; it must be new')
  .option('--record <dir>', 'keep the answers of this working folder')
  .option('--run <name>', 'name of the run that is kept, as model-1')
  .option('--by <text>', 'who answered: model, agent, day')
  .option('--answers <dir>', 'recorded answers', here('tasks/answers'))
  .option('--failures', 'also what was not solved, and why')
  .addOption(program())
  .addOption(write())
  .action(async (options) => (await import('./tasks/run.ts')).measureTasks(options));

bench
  .command('slices')
  .description('small catalogs drawn at random, with a skill that fits and without')
  .addOption(index())
  .requiredOption('--dataset <dir>', 'folder with queries.jsonl and qrels.tsv about its skills')
  .addOption(queriesFile())
  .option('--sizes <list>', 'skills of a catalog (default: 12,40,112,300)', sizes)
  .option('--seed <n>', 'seed of the random draws', wholeNumber, 1)
  .addOption(write())
  .action(async (options) => (await import('./slices.ts')).measureSlices(options));

bench
  .command('published')
  .description(
    'test sets that others published figures on: skillgate and BM25 by their measures, next to their figures',
  )
  .option(
    '--data <dir>',
    'the unpacked sets (default: published.tar.xz of the folder in SKILLGATE_SHARED_DATA)',
  )
  .addOption(write())
  .action(async (options) => (await import('./published.ts')).measurePublished(options));

bench
  .command('judge')
  .description('writes the hits that no one has judged as a collection, for judging')
  .addOption(index())
  .requiredOption('--dataset <dir>', 'folder with queries.jsonl and qrels.tsv about its skills')
  .addOption(queriesFile())
  .option('--depth <n>', 'first hits of each system', wholeNumber, 5)
  .requiredOption('--out <dir>', 'folder for queries.jsonl, corpus.jsonl and qrels.tsv')
  .action(async (options) => (await import('./judge.ts')).writePools(options));

bench.addHelpText('after', '\nnpm run bench -- quality --help lists the options of the default command.');

bench
  .command('readme')
  .description('make the tables of README.md and docs/, and the picture of choices, from bench/RESULTS.md')
  .action(async () => (await import('./readme.ts')).writeTables());

await bench.parseAsync().catch((error: unknown) => {
  // A problem with a dataset is reported in one sentence. Any other error is a bug here and keeps its stack trace.
  if (!(error instanceof DatasetError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
