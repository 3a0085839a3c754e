/**
 * Checks the built program with programs that others wrote, and prints their counts: the protocol's conformance suite (also
 * its servers, for the `mcp` source) and
 * the MCP Inspector over HTTP, and from Python FastMCP's client and LangChain's adapter. All are installed here on first
 * use, the first two with Node 22, which they need; what cannot be installed is skipped with a line. Exit code 1 if a
 * check fails.
 *
 * `--catalog` also runs the scenarios of skills, and a walk over every method, on a thousand real skills, where
 * SKILLGATE_SHARED_DATA or `../shared/data` has the catalog: `catalog.tar.xz`, or its folder `catalog` unpacked.
 * SKILLGATE_SAMPLE says how many skills, SKILLGATE_SEED which.
 */

import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';

const here = import.meta.dirname;
const root = resolve(here, '../..');
const modules = join(here, 'node_modules');
const node22 = join(modules, 'node/bin/node');
const conformance = join(modules, '@modelcontextprotocol/conformance/dist/index.js');
const inspector = join(modules, '@modelcontextprotocol/inspector/clients/launcher/build/index.js');

/** Scenarios by revision. Those of the extension need no fixtures. */
const SCENARIOS = {
  '2026-07-28': [
    'sep-2640-skills-enumeration',
    'sep-2640-skills-manifest',
    'sep-2640-skills-directory',
    'caching',
    'http-header-validation',
    'dns-rebinding-protection',
    'sep-2164-resource-not-found',
    'tools-list',
    'resources-list',
    'prompts-list',
  ],
  '2025-11-25': [
    'sep-2640-skills-enumeration',
    'sep-2640-skills-manifest',
    'sep-2640-skills-directory',
    'dns-rebinding-protection',
    'tools-list',
    'resources-list',
    'prompts-list',
  ],
};
/** Scenarios with a server that lies to a client: a source of kind `mcp`, here. The last one's server counts what is read. */
const VERIFY = ['verify-digest', 'verify-size', 'verify-frontmatter'];
/** By the source's setting `fetch`. */
const CLIENT_SCENARIOS = { instructions: VERIFY, list: [...VERIFY, 'no-prefetch'] };
/** A scenario that checked nothing has not passed. */
const NONE_FAILED = /^Passed: [1-9].* 0 failed/;
const INSTALL_MS = 300_000;
const START_MS = 60_000;
const CHECK_MS = 90_000;

/** Output and exit code of a program; code 1 after a timeout. */
const run = (command, args, options = {}) =>
  new Promise((done) => {
    execFile(
      command,
      args,
      { maxBuffer: 64 * 2 ** 20, timeout: CHECK_MS, ...options },
      (error, stdout, stderr) => done({ code: error === null ? 0 : (error.code ?? 1), stdout, stderr }),
    );
  });

async function install() {
  if (existsSync(node22) && existsSync(conformance) && existsSync(inspector)) return true;
  console.log('Installing the conformance suite, the Inspector and Node 22 …');
  const { stderr } = await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: here, timeout: INSTALL_MS });
  if (existsSync(node22) && existsSync(conformance) && existsSync(inspector)) return true;
  console.log(`SKIPPED: the conformance suite and the Inspector could not be installed.\n${stderr.trim()}`);
  return false;
}

const program = join(root, 'dist/skillgate.cjs');

/** A server over a folder of skills, with its own index, on a free port. */
async function serve(folder, settings = [], skills = 'examples/skills') {
  const args = [
    'serve',
    '--http',
    '--port',
    '0',
    '--skills',
    skills,
    '--index',
    join(folder, 'index'),
    ...settings.flatMap((setting) => ['--set', setting]),
  ];
  const child = spawn(process.execPath, [program, ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  let output = '';
  const url = await new Promise((listening, failed) => {
    const timer = setTimeout(() => failed(new Error(`The server did not start: ${output}`)), START_MS);
    child.stderr.setEncoding('utf8').on('data', (text) => {
      output += text;
      const found = /http:\S+\/mcp/.exec(output);
      if (found === null) return;
      clearTimeout(timer);
      listening(found[0]);
    });
    child.once('exit', () => failed(new Error(`The server ended: ${output}`)));
  });
  const stop = () =>
    new Promise((ended) => {
      child.removeAllListeners('exit').once('exit', ended);
      child.kill('SIGTERM');
    });
  return { url, stop };
}

let failures = 0;
function report(what, passed, counts, details) {
  console.log(`${passed ? 'ok  ' : 'FAIL'} ${what.padEnd(58)} ${counts}`);
  if (passed) return;
  failures += 1;
  console.log(details.trim().replace(/^/gm, '     | '));
}

/** `names`: only scenarios whose name contains one of them. */
async function checkConformance(url, of = '', names = ['']) {
  for (const [revision, scenarios] of Object.entries(SCENARIOS))
    for (const scenario of scenarios.filter((each) => names.some((name) => each.includes(name)))) {
      const args = ['server', '--url', url, '--scenario', scenario, '--spec-version', revision, '--force'];
      const { code, stdout, stderr } = await run(node22, [conformance, ...args]);
      const counts = /Passed: .*/.exec(stdout)?.[0];
      const passed = code === 0 && NONE_FAILED.test(counts ?? '');
      report(
        `conformance${of} ${revision} ${scenario}`,
        passed,
        counts ?? `exit code ${code}`,
        stdout + stderr,
      );
    }
}

/** The `mcp` source as the client of the suite's hostile servers. */
async function checkAsClient() {
  const each = Object.entries(CLIENT_SCENARIOS).flatMap(([fetch, names]) =>
    names.map((name) => ({ fetch, name })),
  );
  for (const revision of Object.keys(SCENARIOS))
    for (const { fetch, name } of each) {
      const command = `${node22} ${join(here, 'client.js')} ${fetch}`;
      const scenario = `sep-2640-client-${name}`;
      const args = [
        'client',
        '--command',
        command,
        '--scenario',
        scenario,
        '--spec-version',
        revision,
        '--force',
      ];
      const { code, stdout, stderr } = await run(node22, [conformance, ...args]);
      const counts = /Passed: .*/.exec(stdout + stderr)?.[0];
      const passed = code === 0 && NONE_FAILED.test(counts ?? '');
      report(
        `conformance, fetch: ${fetch} ${revision} ${scenario}`,
        passed,
        counts ?? `exit code ${code}`,
        stdout + stderr,
      );
    }
}

async function checkInspector(url, folder) {
  const config = join(folder, 'inspector.json');
  const entry = (protocolEra) => ({ type: 'streamable-http', url, protocolEra });
  writeFileSync(config, JSON.stringify({ mcpServers: { modern: entry('modern'), legacy: entry('legacy') } }));
  const search = ['--method', 'tools/call', '--tool-name', 'search_skills', '--tool-arg', 'query=slow query'];
  const load = [...search, '--load', '--load-requests', '200', '--load-concurrency', '8'];
  const checks = [
    ['skills/list --verify', ['--method', 'skills/list', '--verify'], /^Verified .*/m],
    // It prints a count of warnings only where it has some.
    ['tools/list --strict', ['--method', 'tools/list', '--strict', '--format', 'json'], /"search_skills"/],
    ['tools/call --load', load, /"errorRate": 0,/],
  ];
  const env = { ...process.env, HOME: folder, MCP_INSPECTOR_SECRET_STORE: 'memory' };
  for (const era of ['modern', 'legacy'])
    for (const [what, args, wanted] of checks) {
      const target = ['--cli', '--config', config, '--server', era];
      const { code, stdout, stderr } = await run(node22, [inspector, ...target, ...args], { env });
      const output = stdout + stderr;
      const counts = what.endsWith('--load') ? loadCounts(stdout) : countsIn(output, wanted);
      const passed = code === 0 && wanted.test(output) && !/^\d+ errors?, \d+ warning/m.test(output);
      report(`inspector ${era} ${what}`, passed, counts ?? `exit code ${code}`, output.slice(-4_000));
    }
}

const countsIn = (output, wanted) =>
  /^(?:\d+ errors?,|Verified) .*/m.exec(output)?.[0] ?? (wanted.test(output) ? 'no warnings' : undefined);

/**
 * The suite's authorization scenarios are for clients and authorization servers, not for servers that need a token. So the
 * Inspector checks such a server: with a valid token, without one, and with an unknown one.
 */
async function checkAuthorization(folder) {
  const file = join(folder, 'tokens.json');
  const { stdout } = await run(process.execPath, [program, 'token', 'create', 'inspector', '--file', file]);
  const token = stdout.trim();
  const { url, stop } = await serve(folder, [`auth.tokens=${file}`, 'policy.default=allow']);
  const config = join(folder, 'authorized.json');
  const entry = (headers) => ({ type: 'streamable-http', url, protocolEra: 'modern', headers });
  const mcpServers = {
    good: entry({ Authorization: `Bearer ${token}` }),
    other: entry({ Authorization: `Bearer sgt_${'A'.repeat(43)}` }),
  };
  writeFileSync(config, JSON.stringify({ mcpServers }));
  const env = { ...process.env, HOME: folder, MCP_INSPECTOR_SECRET_STORE: 'memory' };
  try {
    for (const [server, wanted] of [
      ['good', true],
      ['other', false],
    ]) {
      const args = ['--cli', '--config', config, '--server', server, '--method', 'skills/list', '--verify'];
      const { code, stdout, stderr } = await run(node22, [inspector, ...args], { env });
      const verified = /^Verified .*/m.exec(stdout + stderr)?.[0];
      const passed = (code === 0 && verified !== undefined) === wanted;
      const counts = verified ?? `refused, exit code ${code}`;
      report(
        `inspector, ${server} token: skills/list --verify`,
        passed,
        counts,
        (stdout + stderr).slice(-4_000),
      );
    }
  } finally {
    await stop();
  }
}

/** Clients of other languages: a folder each, with its packages, and a program that prints a line of JSON for each check. */
const PYTHON = ['fastmcp', 'langchain'];

/** Python of an environment that has the packages of that folder; undefined where they cannot be had. */
async function pythonFor(folder) {
  const environment = join(folder, 'venv');
  const python = join(environment, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
  const requirements = join(folder, 'requirements.txt');
  const finished = join(environment, 'installed.txt');
  const wanted = readFileSync(requirements, 'utf8');
  if (existsSync(finished) && readFileSync(finished, 'utf8') === wanted) return python;
  for (const [command, args] of [
    ['python3', ['-m', 'venv', '--clear', environment]],
    [python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', requirements]],
  ]) {
    const { code, stderr } = await run(command, args, { timeout: INSTALL_MS });
    if (code === 0) continue;
    const reason = /^ERROR: .*/m.exec(stderr)?.[0] ?? `${command} ended with ${code}`;
    console.log(`SKIPPED: the client in ${relative(root, folder)} cannot be installed. ${reason}`);
    return undefined;
  }
  writeFileSync(finished, wanted);
  return python;
}

async function checkPython(url, folder) {
  const index = join(folder, 'index-python');
  const server = [
    process.execPath,
    program,
    'serve',
    '--skills',
    join(root, 'examples/skills'),
    '--index',
    index,
  ];
  for (const name of PYTHON) {
    const own = join(here, 'python', name);
    const python = await pythonFor(own);
    if (python === undefined) continue;
    const args = [join(own, 'check.py'), url, ...server];
    const { code, stdout, stderr } = await run(python, args, { timeout: INSTALL_MS });
    const checks =
      stdout.trim() === ''
        ? []
        : stdout
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line));
    if (code !== 0 || checks.length === 0) report(name, false, `exit code ${code}`, stderr);
    for (const { what, passed, details } of checks) report(what, passed, 'search, load, read', details);
  }
}

/** Where the shared catalog is, if it is. */
const shared = process.env.SKILLGATE_SHARED_DATA ?? resolve(root, '../shared/data');
const WITH_FOLDER = 'examples/skills/zero-downtime-schema-migration';
const SAMPLE = Number(process.env.SKILLGATE_SAMPLE ?? 1_000);
const SEED = process.env.SKILLGATE_SEED ?? 'skillgate';

/** Copies a random sample of the shared catalog's skills below `folder`; undefined where there is no catalog. */
async function sampleOfCatalog(folder) {
  let catalog = join(shared, 'catalog');
  const archive = `${catalog}.tar.xz`;
  if (!existsSync(catalog)) {
    if (!existsSync(archive)) return undefined;
    const { code, stderr } = await run('tar', ['-xJf', archive, '-C', folder], { timeout: INSTALL_MS });
    if (code !== 0) throw new Error(`${archive} cannot be unpacked: ${stderr}`);
    catalog = join(folder, 'catalog');
  }
  const rank = (path) => createHash('sha256').update(`${SEED} ${path}`).digest('hex');
  const skills = readdirSync(catalog, { recursive: true })
    .filter((path) => path.endsWith('/SKILL.md'))
    .map((path) => ({ path: dirname(path), rank: rank(path) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, SAMPLE);
  const sample = join(folder, 'sample');
  // First of all ids, because the scenario of directories takes the first skill and needs one with a folder.
  cpSync(join(root, WITH_FOLDER), join(sample, '0', basename(WITH_FOLDER)), { recursive: true });
  for (const { path } of skills) {
    mkdirSync(join(sample, path), { recursive: true });
    // Without the skills below it: those are drawn on their own.
    cpSync(join(catalog, path), join(sample, path), {
      recursive: true,
      filter: (from) => from === join(catalog, path) || !isSkill(from),
    });
  }
  return { sample, count: skills.length + 1 };
}

const isSkill = (path) => statSync(path).isDirectory() && existsSync(join(path, 'SKILL.md'));

/** JSON-RPC of revision 2026-07-28. */
async function ask(url, method, params = {}) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'check', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const name = params.name ?? params.uri;
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(name !== undefined && { 'mcp-name': `=?base64?${Buffer.from(name).toString('base64')}?=` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
  });
  const text = await response.text();
  const data = text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? '{}');
  const { result, error } = JSON.parse(data);
  if (error !== undefined) throw new Error(`${method} ${name ?? ''}: ${error.code} ${error.message}`);
  return result;
}

/** Walks every page, skill, file and folder of a server, and checks what it reads against the digests. */
async function walk(url, expected) {
  const seen = { listed: 0, adapted: 0, files: 0, folders: 0, resources: 0, largestPage: 0 };
  const leftOut = {};
  const faults = [];
  const attempt = async (work) => {
    try {
      await work();
    } catch (error) {
      faults.push(error.message);
    }
  };
  const readSkill = async (skill) => {
    const got = await ask(url, 'skills/get', { uri: skill.uri });
    if (JSON.stringify(got.skill) !== JSON.stringify(skill)) throw new Error(`${skill.uri}: get differs`);
    const root = skill.uri.slice(0, -'/SKILL.md'.length);
    await ask(url, 'resources/directory/read', { uri: root });
    seen.folders += 1;
    for (const { uri, digest, size } of skill.resources) {
      const [content] = (await ask(url, 'resources/read', { uri })).contents;
      const bytes = Buffer.from(content.text ?? content.blob, content.text === undefined ? 'base64' : 'utf8');
      const found = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
      if (bytes.length !== size || found !== digest)
        throw new Error(`${uri}: its bytes are not its digest's`);
      seen.files += 1;
    }
  };
  for (let cursor; ; ) {
    const page = await ask(url, 'skills/list', cursor === undefined ? {} : { cursor });
    seen.largestPage = Math.max(seen.largestPage, JSON.stringify(page).length);
    for (const [reason, count] of Object.entries(page._meta?.['io.github.skillgate/left-out'] ?? {}))
      leftOut[reason] = (leftOut[reason] ?? 0) + count;
    seen.listed += page.skills.length;
    seen.adapted += page.skills.filter(({ _meta }) => _meta !== undefined).length;
    await Promise.all(page.skills.map((skill) => attempt(() => readSkill(skill))));
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  for (let cursor; ; ) {
    const page = await ask(url, 'resources/list', cursor === undefined ? {} : { cursor });
    seen.resources += page.resources.length;
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  for (let cursor; ; ) {
    const args = cursor === undefined ? {} : { cursor };
    const answer = await ask(url, 'tools/call', { name: 'list_skills', arguments: args });
    for (const { id } of answer.structuredContent.skills)
      await attempt(async () => {
        const { structuredContent, isError } = await ask(url, 'tools/call', {
          name: 'load_skill',
          arguments: { skill: id, max_tokens: 100 },
        });
        if (isError) throw new Error(`load_skill ${id}: ${structuredContent.error.message}`);
      });
    cursor = answer.structuredContent.next_cursor;
    if (cursor === undefined) break;
  }
  const left = Object.values(leftOut).reduce((sum, count) => sum + count, 0);
  const passed =
    faults.length === 0 &&
    seen.listed + left === expected &&
    seen.resources === expected &&
    left < expected / 100 &&
    seen.largestPage < 65_536;
  const counts = `${JSON.stringify(seen)}, left out ${JSON.stringify(leftOut)}`;
  report(`every method on ${expected} real skills`, passed, counts, faults.slice(0, 20).join('\n'));
}

async function checkCatalog(folder) {
  if (!process.argv.includes('--catalog')) return;
  const found = await sampleOfCatalog(folder);
  if (found === undefined) {
    console.log(`The shared catalog is not at ${relative(root, shared)}: checked the examples only.`);
    return;
  }
  const own = join(folder, 'of-catalog');
  // First, because neither the suite nor the server waits as long as a slow machine takes for the index.
  const index = ['index', '--skills', found.sample, '--index', join(own, 'index')];
  const { code, stderr } = await run(process.execPath, [program, ...index], { timeout: INSTALL_MS });
  if (code !== 0) throw new Error(`The sample cannot be indexed: ${stderr}`);
  const { url, stop } = await serve(own, [], found.sample);
  try {
    // First, because it reads every skill: the suite gives a scenario 30 s, files from a cold disk included.
    await walk(url, found.count);
    // The other scenarios do not depend on what is served.
    await checkConformance(url, ` (${found.count} real skills)`, ['sep-2640', 'caching', 'resources-list']);
  } finally {
    await stop();
  }
}

function loadCounts(text) {
  try {
    const { requests, ok, latencyMs } = JSON.parse(text);
    return `${ok} of ${requests} calls, p50 ${latencyMs.p50} ms, p99 ${latencyMs.p99} ms`;
  } catch {
    return undefined;
  }
}

const folder = mkdtempSync(join(tmpdir(), 'skillgate-clients-'));
try {
  const installed = await install();
  const { url, stop } = await serve(folder);
  try {
    if (installed) await checkConformance(url);
    if (installed) await checkInspector(url, folder);
    await checkPython(url, folder);
  } finally {
    await stop();
  }
  if (installed) await checkAsClient();
  if (installed) await checkAuthorization(folder);
  if (installed) await checkCatalog(folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(failures === 0 ? 'All checks passed.' : `${failures} checks failed.`);
if (failures > 0) process.exitCode = 1;
