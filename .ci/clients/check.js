/**
 * Runs the protocol's conformance suite and the MCP Inspector against the built server over HTTP, and prints their
 * counts. Installs both here on first use, with Node 22, which they need. Without a network it prints that and exits with
 * 0. Exit code 1 if a check fails.
 */

import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

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

const program = join(root, 'dist/skillgate.js');

/** A server over the example skills, with its own index, on a free port. */
async function serve(folder, settings = []) {
  const args = [
    'serve',
    '--http',
    '--port',
    '0',
    '--skills',
    'examples/skills',
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

async function checkConformance(url) {
  for (const [revision, scenarios] of Object.entries(SCENARIOS))
    for (const scenario of scenarios) {
      const args = ['server', '--url', url, '--scenario', scenario, '--spec-version', revision, '--force'];
      const { code, stdout, stderr } = await run(node22, [conformance, ...args]);
      const counts = /Passed: .*/.exec(stdout)?.[0];
      const passed = code === 0 && counts !== undefined && / 0 failed/.test(counts);
      report(`conformance ${revision} ${scenario}`, passed, counts ?? `exit code ${code}`, stdout + stderr);
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
    ['tools/list --strict', ['--method', 'tools/list', '--strict', '--format', 'json'], /^\d+ errors?, .*/m],
    ['tools/call --load', load, /"errorRate": 0,/],
  ];
  const env = { ...process.env, HOME: folder, MCP_INSPECTOR_SECRET_STORE: 'memory' };
  for (const era of ['modern', 'legacy'])
    for (const [what, args, wanted] of checks) {
      const target = ['--cli', '--config', config, '--server', era];
      const { code, stdout, stderr } = await run(node22, [inspector, ...target, ...args], { env });
      const output = stdout + stderr;
      const counts = what.endsWith('--load') ? loadCounts(stdout) : wanted.exec(output)?.[0];
      const passed = code === 0 && wanted.test(output);
      report(`inspector ${era} ${what}`, passed, counts ?? `exit code ${code}`, output.slice(-4_000));
    }
}

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

function loadCounts(text) {
  try {
    const { requests, ok, latencyMs } = JSON.parse(text);
    return `${ok} of ${requests} calls, p50 ${latencyMs.p50} ms, p99 ${latencyMs.p99} ms`;
  } catch {
    return undefined;
  }
}

if (await install()) {
  const folder = mkdtempSync(join(tmpdir(), 'skillgate-clients-'));
  try {
    const { url, stop } = await serve(folder);
    try {
      await checkConformance(url);
      await checkInspector(url, folder);
    } finally {
      await stop();
    }
    await checkAuthorization(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(failures === 0 ? 'All checks passed.' : `${failures} checks failed.`);
  if (failures > 0) process.exitCode = 1;
}
