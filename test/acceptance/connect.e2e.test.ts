/** Promise: `skillgate connect` shows what it will do, asks, writes a command that starts, and takes it out again. */

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { measuredVersion } from '../../extensions/connect/host.ts';
import { HOSTS } from '../../extensions/connect/hosts.ts';
import { needsPackage, needsThat } from '../needs.ts';
import { examples, freshWorkplace, program, skillFile } from './command.ts';
import { page } from './documents.ts';

const place = freshWorkplace();

const cursor = () => join(place.home, '.cursor/mcp.json');
/** As a host leaves its folder. */
const install = (...folders: string[]) => {
  for (const folder of folders) place.write(`home/${folder}/state`, '');
};
const text = (file: string) => readFileSync(file, 'utf8');

describe('connect', () => {
  it('shows the exact change; where nobody can be asked it writes nothing and exits with 7', async () => {
    place.write('home/.cursor/mcp.json', '{\n  // mine\n  "mcpServers": {}\n}\n');
    const { code, stdout, stderr } = await place.run('connect', 'cursor');
    expect(code).toBe(7);
    expect(stdout).toContain(`-  "mcpServers": {}\n+  "mcpServers": {\n+    "skillgate": {`);
    expect(stderr).toContain('--yes writes without asking');
    expect(text(cursor())).toBe('{\n  // mine\n  "mcpServers": {}\n}\n');
    expect(existsSync(`${cursor()}.skillgate-backup`)).toBe(false);
  });

  it('asks on a terminal, and writes only after yes', ({ skip }) => {
    if (spawnSync('script', ['--version']).status !== 0) return skip();
    install('.cursor');
    const answered = (answer: string) =>
      spawnSync('script', ['-qec', `${process.execPath} ${program} connect cursor`, '/dev/null'], {
        env: place.environment,
        cwd: place.folder,
        input: `${answer}\n`,
        encoding: 'utf8',
      });
    expect(answered('n').stdout).toContain('Write this for Cursor? [y/N]');
    expect(existsSync(cursor())).toBe(false);
    expect(answered('y').stdout).toContain(`Wrote ${cursor()}`);
    expect(existsSync(cursor())).toBe(true);
  });

  it('writes with --yes, keeps a copy, says when there is nothing to do, and --remove restores the file', async () => {
    const before = '{\n\t"mcpServers": { "docs": { "command": "docs" } } // ours\n}';
    place.write('home/.cursor/mcp.json', before);
    mkdirSync(join(place.folder, 'skills'));
    const first = await place.run('connect', 'cursor', '--yes', '--skills', 'skills');
    expect(first.code, first.stderr).toBe(0);
    expect(text(cursor())).toContain(`"--skills","${join(place.folder, 'skills')}"`);
    expect(text(`${cursor()}.skillgate-backup`)).toBe(before);
    const again = await place.run('connect', 'cursor', '--yes', '--skills', 'skills');
    expect(again.stdout).toBe('Cursor is connected already.\n');
    const removed = await place.run('connect', 'cursor', '--remove', '--yes');
    expect(removed.code, removed.stderr).toBe(0);
    expect(text(cursor())).toBe(before);
    expect((await place.run('connect', 'cursor', '--remove')).stdout).toBe('Cursor is not connected.\n');
  });

  it('says for each of several hosts what became of it, and exits with 7 where nobody could be asked', async () => {
    install('.cursor', '.gemini');
    place.write('home/.gemini/settings.json', '{ broken');
    const unasked = await place.run('connect');
    expect(unasked.code).toBe(7);
    expect(unasked.stdout).toMatch(
      /^gemini-cli: not written: see above\ncursor: not written: no terminal to ask on$/m,
    );
    expect(unasked.stderr).toContain('Nothing was written');
    const { code, stdout } = await place.run('connect', '--yes');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^gemini-cli: not written: see above\ncursor: written$/m);
    expect(stdout.match(/"learn": true/g)).toHaveLength(1);
  });

  it('--remove without a host finds those that have skillgate, also where no other file marks them', async () => {
    install('.cursor');
    await place.run('connect', 'gemini-cli', '--yes');
    const { code, stdout, stderr } = await place.run('connect', '--remove', '--yes');
    expect(code, stderr).toBe(0);
    expect(stdout).toContain('Restart Gemini CLI');
    expect(stdout).not.toContain('Cursor');
    expect(existsSync(join(place.home, '.gemini'))).toBe(false);
    const again = await place.run('connect', '--remove');
    expect([again.code, again.stdout]).toEqual([0, 'No host is connected.\n']);
  });

  it('says what it means to deny Skill, and which skills are not found then', async () => {
    place.write('home/.claude/skills/mine/SKILL.md', skillFile('mine', 'mows the lawn'));
    place.write('skills/other/SKILL.md', skillFile('other', 'trims the hedge'));
    const { stderr } = await place.run('connect', 'claude-code', '--yes', '--skills', 'skills');
    expect(stderr).toContain("permissions.deny Skill switches Claude Code's own list of skills off");
    expect(stderr).toContain('skillgate connect claude-code --remove undoes this');
    expect(stderr).toContain(`does not search the skills in ${join(place.home, '.claude/skills')}`);
  });

  it('refuses a folder that does not exist', async () => {
    install('.cursor');
    const { code, stderr } = await place.run('connect', 'cursor', '--yes', '--skills', 'gone');
    expect(code).toBe(3);
    expect(stderr).toContain(`${join(place.folder, 'gone')} does not exist`);
    expect(existsSync(cursor())).toBe(false);
  });

  it('with --scope project writes at the root of the project, says that it names this machine, and no copy is in git', async () => {
    const project = join(place.folder, 'project');
    place.write('project/a/b/.keep', '');
    place.write('project/.gitignore', '.keep\n.cursor/mcp.json\n.gitignore\n');
    expect(spawnSync('git', ['init', '-q'], { cwd: project }).status).toBe(0);
    const own = ['connect', 'cursor', '--scope', 'project', '--yes'];
    const { code, stderr } = await place.runIn('project/a/b', ...own);
    expect(code, stderr).toBe(0);
    const { mcpServers } = JSON.parse(text(join(project, '.cursor/mcp.json')));
    expect(mcpServers.skillgate.args[0]).toBe(program);
    expect(existsSync(join(project, 'a/b/.cursor'))).toBe(false);
    expect(stderr).toContain('The command names paths of this machine');
    expect(existsSync(join(project, '.cursor/mcp.json.skillgate-backup'))).toBe(true);
    const { stdout } = spawnSync('git', ['status', '--short'], { cwd: project, encoding: 'utf8' });
    expect(stdout).toBe('');
  });

  it('names the hosts where one is unknown or none is found', async () => {
    const unknown = await place.run('connect', 'cursr');
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain('Did you mean "cursor"?');
    expect((await place.run('connect')).code).toBe(3);
  });
});

describe('connect --hook', () => {
  const settings = () => join(place.home, '.claude/settings.json');

  it('is offered in one sentence to hosts that have prompt hooks, until the hook is there', async () => {
    const offer = 'With --hook, Claude Code also runs skillgate hint on each prompt';
    expect((await place.run('connect', 'claude-code', '--print')).stdout).toContain(offer);
    expect((await place.run('connect', 'cursor', '--print')).stdout).not.toContain('--hook');
    expect((await place.run('connect', 'claude-code', '--yes')).stdout).toContain(offer);
    expect(text(settings())).not.toContain('hint');
    const hooked = await place.run('connect', 'claude-code', '--hook', '--yes');
    expect(hooked.code, hooked.stderr).toBe(0);
    expect(hooked.stdout).not.toContain('With --hook');
    expect((await place.run('connect', 'claude-code')).stdout).toBe('Claude Code is connected already.\n');
  });

  it('shows the change, writes a command that answers a prompt, and --remove restores the file', async () => {
    cpSync(examples, join(place.folder, 'my skills'), { recursive: true });
    await place.run('index', '--skills', 'my skills');
    const before = '{\n  // mine\n  "hooks": { "Stop": [] }\n}\n';
    place.write('home/.claude/settings.json', before);
    const options = ['connect', 'claude-code', '--hook', '--skills', 'my skills'];
    const shown = await place.run(...options, '--print');
    expect(shown.stdout).toContain('"UserPromptSubmit"');
    expect(text(settings())).toBe(before);
    expect((await place.run(...options, '--yes')).code).toBe(0);
    expect(text(settings())).toContain('// mine');
    const { command, timeout } = JSON.parse(text(settings()).replace('// mine', '')).hooks.UserPromptSubmit[0]
      .hooks[0];
    expect(timeout).toBe(10);
    const input = JSON.stringify({
      prompt: 'our mails land in the junk folder of our customers',
      cwd: place.folder,
      hook_event_name: 'UserPromptSubmit',
    });
    const ran = spawnSync('sh', ['-c', command], {
      input,
      cwd: place.home,
      env: place.environment,
      encoding: 'utf8',
    });
    expect(ran.status, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout).hookSpecificOutput.additionalContext).toContain('email-deliverability');
    expect((await place.run('connect', 'claude-code', '--remove', '--yes')).code).toBe(0);
    expect(text(settings())).toBe(before);
  });

  it('says of other hosts that they have no such hook, and what else Codex asks for', async () => {
    const cursorRun = await place.run('connect', 'cursor', '--hook', '--yes');
    expect(cursorRun.code).toBe(0);
    expect(cursorRun.stderr).toContain('Cursor has no prompt hook that can add to a prompt');
    expect((await place.run('connect', 'codex', '--hook', '--yes')).stderr).toContain('type /hooks there');
    expect(existsSync(join(place.home, '.codex/hooks.json'))).toBe(true);
  });
});

describe('doctor', () => {
  it('reports a damaged graph until index has built it again', needsPackage('hnswlib-node'), async () => {
    const here = ['--skills', 'skills', '--index', 'index', '--vectors', 'hnsw'];
    place.write('skills/pdf/SKILL.md', skillFile('pdf', 'Fill in forms'));
    await place.run('index', ...here);
    const [graph = ''] = readdirSync(join(place.folder, 'index')).filter((name) => name.endsWith('.hnsw'));
    place.write(`index/${graph}`, 'nothing');
    const { code, stdout } = await place.run('doctor', ...here);
    expect([code, stdout]).toEqual([1, expect.stringMatching(/✗ index: .* is damaged: .*skillgate index/)]);
    await place.run('index', ...here);
    expect((await place.run('doctor', ...here)).stdout).toMatch(/✓ index: 1 skill/);
  });

  it(
    'names an index folder that cannot be written',
    needsThat(process.platform === 'linux', 'Linux'),
    async () => {
      place.write('skills/pdf/SKILL.md', skillFile('pdf', 'Fill in forms'));
      const { stdout } = await place.run('doctor', '--skills', 'skills', '--index', '/sys/skillgate');
      expect(stdout).toMatch(/✗ index: The folder \/sys\/skillgate cannot be written/);
    },
  );

  it('starts what connect wrote, as the host does, and compares the tokens of every prompt', async () => {
    install('.codex', '.claude');
    cpSync(examples, join(place.home, '.claude/skills'), { recursive: true });
    await place.run('connect', 'codex', '--yes');
    await place.run('connect', 'claude-code', '--yes', '--keep-skills');
    const { code, stdout } = await place.run('doctor');
    expect(code, stdout).toBe(0);
    expect(stdout).toMatch(/✓ host: Claude Code \(user\) starts skillgate: 4 tools after \d+ ms/);
    expect(stdout).toMatch(/✓ host: Codex \(user\) starts skillgate/);
    expect(stdout).toMatch(/✓ listing: Claude Code's own list of 32 skills shows every description/);
    const [, without, with_] =
      /About (\d+) tokens in every prompt; with skillgate alone (\d+)/.exec(stdout) ?? [];
    expect(Number(without)).toBeGreaterThan(Number(with_));
    expect(Number(with_)).toBeGreaterThan(100);
    await place.run('connect', 'claude-code', '--yes');
    expect((await place.run('doctor')).stdout).toMatch(
      /✓ listing: Claude Code's own list of 32 skills is switched off\. Switched on, it shows/,
    );
  });

  it('lists the MCP tools that skills name and no server offers, with the skills', async () => {
    for (const name of ['alpha', 'beta'])
      place.write(
        `skills/${name}/SKILL.md`,
        `---\nname: ${name}\ndescription: sends mail\nallowed-tools: Read mcp__mail__send\n---\n# ${name}\n`,
      );
    await place.run('index', '--skills', 'skills');
    const { code, stdout } = await place.run('doctor', '--skills', 'skills', '--json');
    expect(code, stdout).toBe(0);
    const found = JSON.parse(stdout).checks.find(({ name }: { name: string }) => name === 'tools');
    expect(found).toEqual({
      name: 'tools',
      state: 'note',
      message: 'Skills name 1 MCP tool that no server here offers. The host may have them.',
      details: ['mcp__mail__send: alpha and 1 other skill'],
    });
  });

  it('keeps the descriptions of the skills that Claude Code was used with most', async () => {
    for (let at = 0; at < 12; at += 1)
      place.write(`home/.claude/skills/s${10 + at}/SKILL.md`, skillFile(`s${10 + at}`, 'x'.repeat(1_000)));
    place.write('home/.claude.json', '{ "skillUsage": { "s21": { "usageCount": 5 } } }');
    place.write('home/.claude/settings.json', '{ "model": "claude-haiku-4-5" }');
    const { stdout } = await place.run('doctor', '--json');
    const { details } = JSON.parse(stdout).checks.find(({ name }: { name: string }) => name === 'listing');
    // Of 8,000 columns bundled skills take 6,077, and 12 names of 3 + 3. One description of 1,000 fits.
    expect(details[0]).toBe('s10, s11, s12, s13, s14, s15, and 5 more');
    expect(details.at(-1)).toMatch(/^Its limit is that of claude-haiku-4-5 \(200,000 tokens\)/);
  });

  it('fails where a host or a hook starts something else, and says what writes the right command', async () => {
    const entry = (...args: string[]) =>
      JSON.stringify({ mcpServers: { skillgate: { command: process.execPath, args } } });
    place.write('home/.cursor/mcp.json', entry('/old/checkout/dist/skillgate.cjs', 'serve'));
    place.write('home/.codeium/windsurf/mcp_config.json', entry(program, 'serve', '--skills', '/old/skills'));
    place.write('home/.gemini/settings.json', '{ broken');
    const hook = {
      type: 'command',
      command: `${process.execPath} /old/checkout/dist/skillgate.cjs hint`,
      timeout: 5,
    };
    place.write(
      'home/.claude/settings.json',
      JSON.stringify({ hooks: { UserPromptSubmit: [{ hooks: [hook] }] } }),
    );
    const { code, stdout } = await place.run('doctor');
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /✗ host: Cursor .*: its program is missing: \/old\/checkout.* was moved or removed/,
    );
    expect(stdout).toContain('skillgate connect cursor --scope user writes the command that works here.');
    expect(stdout).toMatch(/✗ host: Windsurf .*: --skills names \/old\/skills, which does not exist/);
    expect(stdout).toMatch(
      /✗ host: The settings of Gemini CLI \(user\) cannot be read: .* is not valid JSON/,
    );
    expect(stdout).not.toContain('skillgate connect gemini-cli --scope user writes');
    expect(stdout).toMatch(
      /✗ hook: The prompt hook of Claude Code \(user\) cannot run: its program is missing/,
    );
  });

  it('counts for each host only the skills in the folders that it reads', async () => {
    install('.config/Claude', '.codex', '.cursor', '.claude');
    place.write('home/.claude/skills/one/SKILL.md', skillFile('one', 'mows the lawn'));
    place.write('home/.agents/skills/two/SKILL.md', skillFile('two', 'trims the hedge'));
    place.write('home/.agents/skills/three/SKILL.md', skillFile('three', 'sweeps the yard'));
    const { stdout } = await place.run('doctor');
    expect(stdout).toContain("Claude Code's own list of 1 skill ");
    expect(stdout).toContain("Codex's own list of 2 skills ");
    expect(stdout).toContain("Cursor's own list of 3 skills ");
    expect(stdout).not.toContain("Claude Desktop's own list");
  });
});

it('docs/hosts.md has a row for each host, and for those that were tried the version', () => {
  const rows = Array.from(
    page('docs/hosts.md').matchAll(/^\| ([^|]+) \| `([a-z-]+)` \| .* \| ([^|]+) \|$/gm),
  );
  expect(rows.map(([, name, id]) => [name, id])).toEqual(HOSTS.map(({ name, id }) => [name, id]));
  const versions = rows.flatMap(([, , id, last = '']) => (/^\d/.test(last) ? [[id, last]] : []));
  const tried = HOSTS.filter((host) => measuredVersion(host) !== null);
  expect(versions).toEqual(tried.map((host) => [host.id, measuredVersion(host)]));
});
