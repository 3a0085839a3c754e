/**
 * `npm run test:hosts`: hosts that others wrote, each against a scripted model, with an empty home, a made-up key and no network
 * but loopback. With `--latest` in their newest versions. Asks for Linux, `unshare` and the right to use it; a host that npm cannot install is skipped by name.
 */

import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { findHost } from '../../extensions/connect/hosts.ts';
import { computeListing } from '../../extensions/connect/listing.ts';
import { REAL_HOSTS, type RealHost } from './hosts.ts';
import { type Answer, type Recorded, startModel } from './model.ts';
import { madeSkills } from './skills.ts';

const PROMPT = 'customers say our mails end up in their junk folder since last week';
const SKILL = 'email-deliverability';
const FILE = 'references/mailbox-providers.md';
const EXAMPLES = resolve('examples/skills');
const SKILLGATE = resolve('dist/skillgate.cjs');
/** The newest version of each host instead of the one that the rules were measured in. */
const LATEST = '--latest';
const isLatest = process.argv.includes(LATEST);
/** Kept between runs: two gigabytes. */
const INSTALLED = join(tmpdir(), isLatest ? 'skillgate-hosts-latest' : 'skillgate-hosts');
const INSTALL_MS = 180_000;
const RUN_MS = 180_000;
const INSIDE = '--inside';

const programFile = ({ id, program }: RealHost) => join(INSTALLED, id, 'node_modules/.bin', program);

const packageFor = ({ package: pinned }: RealHost) =>
  isLatest ? pinned.replace(/@[^@/]+$/, '@latest') : pinned;

/** Whether npm has it, this version; the newest is asked for each time. */
function install(host: RealHost): boolean {
  const folder = join(INSTALLED, host.id);
  const name = packageFor(host);
  mkdirSync(folder, { recursive: true });
  const wanted = join(folder, 'wanted');
  if (!isLatest && existsSync(wanted) && readFileSync(wanted, 'utf8') === name) return true;
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
  const options = ['--no-audit', '--no-fund', '--loglevel=error', '--prefix', folder];
  const { status } = spawnSync('npm', ['install', ...options, name], {
    stdio: 'inherit',
    timeout: INSTALL_MS,
  });
  if (status !== 0 || !existsSync(programFile(host))) return false;
  writeFileSync(wanted, name);
  return true;
}

/** Runs this file once more, in namespaces of its own. */
function enterSandbox(ids: readonly string[]): number {
  const user = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
  const namespaces = [...user, '--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
  const shell = (command: string, ...args: string[]) =>
    spawnSync('unshare', [...namespaces, 'sh', '-c', command, 'sh', ...args], { stdio: 'inherit' });
  if (shell('ip link set lo up').status !== 0) {
    console.log('Skipped: unshare and ip cannot make a network of loopback only here.');
    return 0;
  }
  const file = process.argv[1] ?? '';
  const inner = [process.execPath, '--import', 'tsx', file, INSIDE, ...(isLatest ? [LATEST] : []), ...ids];
  return shell('ip link set lo up && exec "$@"', ...inner).status ?? 1;
}

/** The next step: search, load the skill, read a file of it, end. */
function decide(
  { callsFromCode = false }: RealHost,
  { tools, results }: Pick<Recorded, 'tools' | 'results'>,
): Answer {
  const steps = [
    ['search_skills', { query: PROMPT }],
    ['load_skill', { skill: SKILL }],
    ['read_reference', { skill: SKILL, path: FILE }],
  ] as const;
  const step = steps[results.length];
  const tool = tools.find((name) =>
    callsFromCode ? name === 'exec' : step !== undefined && name.endsWith(step[0]),
  );
  if (step === undefined || tool === undefined) return { text: 'Done.' };
  const [name, args] = step;
  const code = `text(await tools.mcp__skillgate__${name}(${JSON.stringify(args)}))`;
  return callsFromCode ? { tool, args, code } : { tool, args };
}

interface Home {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

function execute(program: string, args: readonly string[], { folder, env }: Home): Promise<string> {
  return new Promise((done) => {
    const child = spawn(program, args, {
      cwd: join(folder, 'project'),
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data) => {
        out += String(data);
      });
    const timer = setTimeout(() => child.kill('SIGKILL'), RUN_MS);
    child.on('close', () => {
      clearTimeout(timer);
      done(out);
    });
  });
}

const skillgate = (home: Home, ...args: string[]) => execute(process.execPath, [SKILLGATE, ...args], home);

/** The text of each file below home, but for folders of skills and caches. */
function textsIn(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !/\/(skills|\.cache|\.git)(\/|$)/.test(entry.parentPath),
  );
  return Object.fromEntries(
    files.map(({ parentPath, name }) => [
      join(parentPath, name),
      readFileSync(join(parentPath, name), 'latin1'),
    ]),
  );
}

type Check = (promise: string, holds: boolean, seen?: unknown) => void;

/** Runs `use` in a new home with these skills, and a model that answers by `plan`. */
async function inHome<T>(
  host: RealHost,
  skills: (folder: string) => void,
  plan: (turn: Pick<Recorded, 'tools' | 'results'>) => Answer,
  use: (home: Home, requests: readonly Recorded[], prompt: (text: string) => Promise<string>) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'skillgate-home-'));
  const model = await startModel(plan);
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: folder,
    TERM: 'dumb',
    NO_COLOR: '1',
    LANG: 'C.UTF-8',
    ...host.env(model.url),
  };
  const home = { folder, env };
  try {
    for (const [file, text] of Object.entries(host.files?.(model.url) ?? {})) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
    mkdirSync(join(folder, 'project'));
    spawnSync('git', ['init', '-q'], { cwd: join(folder, 'project') });
    skills(join(folder, host.skills));
    if (host.before !== undefined) await execute(programFile(host), host.before(model.url), home);
    return await use(home, model.requests, (text) =>
      execute(programFile(host), host.run(text, model.url), home),
    );
  } finally {
    model.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Connected: what the model sees, and that nothing stays behind. */
const connected = (host: RealHost, check: Check) =>
  inHome(
    host,
    (folder) => cpSync(EXAMPLES, folder, { recursive: true }),
    (turn) => decide(host, turn),
    async (home, requests, prompt) => {
      const before = textsIn(home.folder);
      const connect = ['connect', host.id, '--yes'];
      await skillgate(home, ...connect, ...host.connect);
      const after = textsIn(home.folder);
      const written = Object.keys(after).filter(
        (file) => !file.endsWith('.skillgate-backup') && after[file] !== before[file],
      );
      check(
        'connect writes',
        written.some((file) => after[file]?.includes(SKILLGATE)),
        written,
      );
      await skillgate(home, ...connect, '--remove');
      check('--remove leaves every file as it was', same(textsIn(home.folder), before));
      await skillgate(home, ...connect, ...host.connect);
      await skillgate(home, 'index');
      const output = await prompt(PROMPT);
      const [first] = requests;
      const [search = '', load = '', read = ''] = requests.at(-1)?.results ?? [];
      if (host.callsFromCode !== true)
        check(
          'the tools are in the first request',
          first?.tools.some((name) => name.endsWith('search_skills')) === true,
          output,
        );
      check(
        'the search finds the skill',
        search.includes('A skill fits') && search.includes(SKILL),
        search || output,
      );
      check('the skill is loaded, as text', load.includes(`Skill ${SKILL}; uri: skill://`), load);
      check('its file is read', read.includes('Bulk rules since May 2025') || read.includes('Gmail'), read);
      check('no answer is given twice', !/structuredContent|"verdict\\*":/.test(search), search);
      const hint = /Skills that may fit:[^"]*?search_skills\./g;
      const sent = JSON.stringify(first?.body ?? '');
      if (host.connect.includes('--hook')) check('the hint of the hook arrives', hint.test(sent));
      const names = readdirSync(EXAMPLES).filter((name) => sent.replaceAll(hint, '').includes(name));
      const hides = findHost(host.id)?.hide !== undefined;
      check(
        `the host's own list is ${hides ? 'gone' : 'still there'}`,
        (names.length === 0) === hides,
        names,
      );
      await skillgate(home, ...connect, '--remove');
      const left = written.filter(
        (file) => existsSync(file) && readFileSync(file, 'latin1').includes(SKILLGATE),
      );
      check('--remove takes skillgate out of files that the host has changed since', left.length === 0, left);
    },
  );

const same = (a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>) =>
  JSON.stringify(Object.entries(a).toSorted()) === JSON.stringify(Object.entries(b).toSorted());

/** Not connected: how long the host's own list is, against the rules by which `doctor` counts. */
const listed = (host: RealHost, count: number, check: Check) =>
  inHome(
    host,
    (folder) => {
      for (const { name, description } of madeSkills(count)) {
        mkdirSync(join(folder, name), { recursive: true });
        writeFileSync(
          join(folder, name, 'SKILL.md'),
          `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n\n# ${name}\n\nDo it.\n`,
        );
      }
    },
    () => ({ text: 'Done.' }),
    async ({ folder }, requests, prompt) => {
      await prompt('say done');
      const names = new Set(madeSkills(count).map(({ name }) => name));
      const characters = Math.max(0, ...stringsIn(requests[0]?.body).map((text) => measureList(text, names)));
      const { again: _, rest: __, ...listing } = findHost(host.id)?.listing ?? raise(host.id);
      const skills = madeSkills(count).map((skill) => ({
        ...skill,
        file: join(folder, host.skills, skill.name, 'SKILL.md'),
      }));
      const report = computeListing(skills, listing, { windowTokens: host.windowTokens });
      const isNear = Math.abs(report.characters / characters - 1) < 0.02;
      check(`doctor knows the list of ${count}`, isNear, { doctor: report.characters, request: characters });
    },
  );

function raise(id: string): never {
  throw new Error(`extensions/connect/hosts.ts has no host ${id}.`);
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

/** Characters of the entries of these skills: elements, lines, names alone, or keys. */
function measureList(text: string, names: ReadonlySet<string>): number {
  const ours = (entry: string, pattern: RegExp) => names.has(pattern.exec(entry)?.[1] ?? '');
  const elements = text.match(/ *<skill(?: [^>]*)?>[\s\S]*?<\/skill>\n?/g) ?? [];
  const tagged = elements.filter((entry) => ours(entry, /<name>\s*([\w-]+)/));
  const lines = text.split(/(?<=\n)/).filter((entry) => ours(entry, /^- ([\w-]+)/));
  const bare = (/Available skills: (.*)/.exec(text)?.[1] ?? '')
    .split(/(?<=, )/)
    .filter((entry) => ours(entry, /^([\w-]+)/));
  const keyed = (text.match(/\nname: [\w-]+\ndescription: .*\n,?/g) ?? []).filter((entry) =>
    ours(entry, /^\nname: ([\w-]+)/),
  );
  return Math.max(...[tagged, lines, bare, keyed].map((entries) => entries.join('').length));
}

async function testHost(host: RealHost): Promise<number> {
  let failures = 0;
  const check: Check = (promise, holds, seen) => {
    console.log(`  ${holds ? 'ok    ' : 'FAILED'} ${promise}`);
    if (holds) return;
    failures += 1;
    if (seen !== undefined) console.log(`         ${JSON.stringify(seen).slice(0, 600)}`);
  };
  console.log(`${host.id}: ${packageFor(host)}`);
  await connected(host, check);
  for (const count of [40, 100, 330]) await listed(host, count, check);
  return failures;
}

async function main(args: readonly string[]): Promise<number> {
  const chosen = args.filter((word) => word !== INSIDE && word !== LATEST);
  const wanted = REAL_HOSTS.filter(({ id }) => chosen.length === 0 || chosen.includes(id));
  if (args.includes(INSIDE)) {
    let failures = 0;
    for (const host of wanted) failures += await testHost(host);
    console.log(failures === 0 ? 'All promises hold.' : `${failures} failed.`);
    return failures === 0 ? 0 : 1;
  }
  if (!existsSync(SKILLGATE)) throw new Error('dist/ is missing: run `npm run build`.');
  const present = wanted.filter((host) => {
    const isInstalled = install(host);
    if (!isInstalled) console.log(`Skipped: npm cannot install ${packageFor(host)} here.`);
    return isInstalled;
  });
  return present.length === 0 ? 0 : enterSandbox(present.map(({ id }) => id));
}

process.exitCode = await main(process.argv.slice(2));
