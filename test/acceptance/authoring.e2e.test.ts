/** Promise: authors of skills see what to change, in the format of their code host, and nothing of theirs is lost. */

import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { temporaryFolder } from '../temporary-folder.ts';
import { examples, freshWorkplace, program, root, skillFile } from './command.ts';

const place = freshWorkplace();
const ONE = 'Ships packages to the warehouse. Use when an order is paid.';

function writeFaulty(): void {
  place.write('skills/ship/SKILL.md', skillFile('ship', ONE, 'See [rates](references/rates.md), 100%.\n'));
  place.write('skills/hollow/SKILL.md', '');
  place.write(
    'skills/noise/SKILL.md',
    new Uint8Array(64).map((_, at) => at % 9),
  );
}

describe('skillgate validate', () => {
  it('says why no skill is left, and does not pass', async () => {
    place.write('elsewhere/ship/SKILL.md', skillFile('ship', ONE));
    place.write('project/.claude/skills/.keep', '');
    place.write('project/.git/HEAD', '');
    symlinkSync('../../../elsewhere/ship', join(place.folder, 'project/.claude/skills/ship'));
    const { code, stdout } = await place.runIn('project', 'validate');
    expect([code, stdout]).toEqual([4, expect.stringMatching(/leads to .*elsewhere(?:.|\n)*0 skills/)]);
    // In a folder that is named outside of a project, links are followed.
    place.write('skills/.keep', '');
    symlinkSync('../elsewhere/ship', join(place.folder, 'skills/ship'));
    const named = await place.run('validate', 'skills');
    expect([named.code, named.stdout]).toEqual([0, expect.stringContaining('1 skill:')]);
  });

  it('reports dead links, and an empty or binary skill file as an error', async () => {
    writeFaulty();
    const { code, stdout } = await place.run('validate', 'skills', '--json');
    expect(code).toBe(4);
    const { errors, diagnostics } = JSON.parse(stdout);
    expect(errors).toBe(2);
    expect(diagnostics).toContainEqual({
      skill: 'ship',
      file: 'skills/ship/SKILL.md',
      diagnostic: expect.objectContaining({ id: 'link-dead', position: { line: 5, column: 13 } }),
    });
  });

  it('prints SARIF that its schema accepts, with paths of the repository', async () => {
    writeFaulty();
    const { code, stdout } = await place.run('validate', 'skills', '--format', 'sarif');
    expect(code).toBe(4);
    const log = JSON.parse(stdout);
    const ajv = new Ajv({ allErrors: true });
    formats.default(ajv);
    const check = ajv.compile(
      JSON.parse(readFileSync(join(root, 'test/fixtures/schemas/sarif-2.1.0.schema.json'), 'utf8')),
    );
    expect(check(log), JSON.stringify(check.errors)).toBe(true);
    const [{ results, tool }] = log.runs;
    const dead = results.find(({ ruleId }: { ruleId: string }) => ruleId === 'link-dead');
    expect(dead).toMatchObject({
      level: 'warning',
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: 'skills/ship/SKILL.md' },
            region: { startLine: 5, startColumn: 13 },
          },
        },
      ],
    });
    expect(tool.driver.rules[dead.ruleIndex]).toMatchObject({
      id: 'link-dead',
      helpUri: expect.stringMatching(/docs\/diagnostics\.md#link-dead$/),
    });
  });

  it('prints commands of GitHub Actions, with their characters escaped', async () => {
    writeFaulty();
    place.write('skills/odd/SKILL.md', skillFile('odd', ONE, '[a](50%25,a.md)\n'));
    const { stdout } = await place.run('validate', 'skills', '--format', 'github');
    expect(stdout).toContain(
      '::error file=skills/hollow/SKILL.md,title=skill-empty::The skill file is empty.',
    );
    expect(stdout).toContain(
      '::warning file=skills/odd/SKILL.md,line=5,col=5,title=link-dead::The link to 50%25,a.md',
    );
    for (const line of stdout.trim().split('\n')) expect(line).toMatch(/^::(?:error|warning|notice) file=/);
  });

  it('--fix writes what is mechanical, and nothing with --dry-run or without --yes', async () => {
    const before = `\n---\ndescription: Ships: all of it, when an order is paid\nallowed-tools: Read, Grep\n---\n\nShip it.\n\n`;
    place.write('skills/ship/SKILL.md', before);
    const file = join(place.folder, 'skills/ship/SKILL.md');
    await place.run('validate', 'skills', '--fix', '--dry-run');
    // Without a terminal no one can be asked.
    const unasked = await place.run('validate', 'skills', '--fix');
    expect([unasked.code, unasked.stderr]).toEqual([7, expect.stringContaining('Pass --yes')]);
    expect(unasked.stdout).toContain('+description:');
    expect((await place.run('validate', 'skills', '--dry-run')).code).toBe(2);
    expect(readFileSync(file, 'utf8')).toBe(before);
    const { code, stdout, stderr } = await place.run('validate', 'skills', '--fix', '--yes');
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: '1 skill fixed; git apply -R with the diff above undoes it.\n',
    });
    expect(readFileSync(file, 'utf8')).toBe(
      `---\nname: ship\ndescription: 'Ships: all of it, when an order is paid'\nallowed-tools: Read Grep\n---\n\nShip it.\n\n`,
    );
    expect(stdout).toContain('1 skill: 1 meets the Agent Skills specification, 0 errors');
    expect((await place.run('validate', 'skills', '--fix', '--yes', '--json')).stdout).toContain(
      '"fixed": []',
    );
  });

  it('--fix without a folder writes in the project only, and not what a link of it leads to', async () => {
    const faulty = (name: string) => `---\nname: ${name}\ndescription: Ships: all of it\n---\n\nShip it.\n`;
    const elsewhere = ['home/.claude/skills/a', 'home/.claude/plugins/cache/p/skills/b', 'home/shared/c'];
    for (const folder of elsewhere) place.write(`${folder}/SKILL.md`, faulty(folder.slice(-1)));
    place.write('project/.git/HEAD', '');
    place.write('project/.claude/skills/d/SKILL.md', faulty('d'));
    symlinkSync(join(place.folder, 'home/shared/c'), join(place.folder, 'project/.claude/skills/c'));
    const { stderr } = await place.runIn('project', 'validate', '--fix', '--yes');
    expect(stderr).toContain('1 skill fixed');
    expect(stderr).toMatch(/^\d skills in folders outside this project could be fixed too/m);
    const text = (folder: string) => readFileSync(join(place.folder, folder, 'SKILL.md'), 'utf8');
    for (const folder of elsewhere) expect(text(folder)).toBe(faulty(folder.slice(-1)));
    expect(text('project/.claude/skills/d')).toContain("'Ships: all of it'");
  });

  it('--fix prints a difference that git apply -R undoes, renames and odd names included', async () => {
    const before = new Map([
      ['skills/ship/skill.md', skillFile('ship', ONE)],
      ['skills/my pack/Skill.md', `\n---\ndescription: Packs: all of it\n---\n\nPack it.`],
      ['skills/größe/SKILL.md', `---\r\nname: größe\r\ndescription: Sizes: all\r\n---\r\n\r\nSize it.\r\n`],
    ]);
    for (const [file, text] of before) place.write(file, text);
    const { stdout } = await place.run('validate', 'skills', '--fix', '--yes');
    expect(stdout).toContain('rename to skills/ship/SKILL.md');
    expect(readFileSync(join(place.folder, 'skills/ship/SKILL.md'), 'utf8')).toBe(skillFile('ship', ONE));
    place.write('fix.patch', stdout);
    const git = spawnSync('git', ['apply', '-R', 'fix.patch'], { cwd: place.folder, encoding: 'utf8' });
    expect({ status: git.status, stderr: git.stderr }).toEqual({ status: 0, stderr: '' });
    for (const [file, text] of before) expect(readFileSync(join(place.folder, file), 'utf8')).toBe(text);
    expect(existsSync(join(place.folder, 'skills/ship/SKILL.md'))).toBe(false);
  });

  it('fails for what --fail-on and --max-warnings name, and for nothing more', async () => {
    place.write('skills/ship/SKILL.md', skillFile('ship', ONE, 'See [rates](references/rates.md).\n'));
    const code = async (...more: string[]) => (await place.run('validate', 'skills', ...more)).code;
    expect(await code()).toBe(0);
    expect(await code('--fail-on', 'warning')).toBe(4);
    expect(await code('--fail-on', 'when-missing', '--fail-on', 'link-dead')).toBe(4);
    expect(await code('--fail-on', 'secret-found')).toBe(0);
    expect(await code('--max-warnings', '1')).toBe(0);
    expect(await code('--max-warnings', '0')).toBe(4);
    const unknown = await place.run('validate', 'skills', '--fail-on', 'link-ded');
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringMatching(/^skillgate: .*link-ded.*\n$/) });
  });

  it('leaves out rules that a file or the configuration switches off, and refuses unknown ones', async () => {
    const text = 'See [rates](references/rates.md).\n\n<!-- skillgate-disable link-dead -->\n';
    place.write('skills/ship/SKILL.md', skillFile('ship', ONE, text));
    place.write(
      'skills/pack/SKILL.md',
      skillFile('pack', ONE, '[a](gone.md) <!-- skillgate-disable link-ded -->\n'),
    );
    const ids = async (...more: string[]) => {
      const { code, stdout } = await place.run('validate', 'skills', '--json', ...more);
      const { diagnostics } = JSON.parse(stdout);
      return [code, ...diagnostics.map((each: { diagnostic: { id: string } }) => each.diagnostic.id)];
    };
    expect(await ids()).toEqual([4, 'link-dead', 'rule-unknown']);
    place.write(
      'on.json',
      JSON.stringify({
        validate: { rules: { 'rule-unknown': 'off', 'link-dead': 'error' } },
      }),
    );
    expect(await ids('--config', 'on.json')).toEqual([4, 'link-dead']);
    place.write('off.json', JSON.stringify({ validate: { rules: { 'link-ded': 'off' } } }));
    const wrong = await place.run('validate', 'skills', '--config', 'off.json');
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('link-ded') });
  });

  it('takes files of skills, as pre-commit gives them, and fails for a folder without skills', async () => {
    place.write('skills/ship/SKILL.md', skillFile('ship', ONE));
    place.write('skills/ship/references/rates.md', 'Rates of ship.\n');
    place.write('skills/pack/SKILL.md', skillFile('pack', 'Packs parcels. Use when an order is ready.'));
    place.write('notes/readme.md', 'No skill.\n');
    const one = await place.run(
      'validate',
      'skills/ship/SKILL.md',
      'skills/ship/references/rates.md',
      '--json',
    );
    expect(JSON.parse(one.stdout)).toMatchObject({ skills: 1, errors: 0 });
    for (const wrong of ['notes', 'nots', 'notes/readme.md'])
      expect(await place.run('validate', 'skills', wrong)).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(new RegExp(`^skillgate: .*${wrong}.*\n$`)),
      });
  });

  it('groups remarks by file, prints a hint once, counts by rule, and at most a screen unless --all', async () => {
    for (let at = 0; at < 60; at += 1)
      place.write(`skills/s${at}/SKILL.md`, skillFile(`s${at}`, ONE, `See [r](references/r${at}.md).\n`));
    place.write(
      'skills/bad/SKILL.md',
      `\n---\ndescription: Packs: all of it, when it is late\n---\n\nPack it.\n`,
    );
    const { stdout } = await place.run('validate', 'skills');
    expect(stdout.split('\n').length).toBeLessThan(70);
    expect(stdout).toMatch(/^skills\/\w+\/SKILL\.md\n +5:\d+ {2}warning {2}The link to references/m);
    expect(stdout.match(/→ Add the file, or remove the link\./g)).toHaveLength(1);
    expect(stdout).toMatch(/^ +60 {2}warning {2}link-dead {2}/m);
    expect(stdout).toContain('--all prints them all.');
    expect(stdout).toContain('skillgate validate --fix would fix 1 file.');
    const all = await place.run('validate', 'skills', '--all');
    expect(all.stdout.match(/leads nowhere/g)).toHaveLength(60);
  });
});

describe('the GitHub Action', () => {
  interface Step {
    readonly shell: string;
    readonly env: Readonly<Record<string, string>>;
    readonly run: string;
  }
  const action: { inputs: Record<string, { default: string }>; runs: { using: string; steps: Step[] } } =
    parseYaml(readFileSync(join(root, 'action/action.yml'), 'utf8'));

  /** Runs its steps as the runner does, with this program where npx would fetch it. */
  function runAction(inputs: Readonly<Record<string, string>>) {
    place.write('summary.md', '');
    const npx = place.write('bin/npx', `#!/bin/sh\nshift 4\nexec "${process.execPath}" "${program}" "$@"\n`);
    chmodSync(npx, 0o755);
    const value = (text: string) =>
      text.replace(
        /\$\{\{ inputs\.([\w-]+) \}\}/g,
        (_, name: string) => inputs[name] ?? action.inputs[name]!.default,
      );
    const outcomes = action.runs.steps.map(({ env, run, shell }) => {
      expect(shell).toBe('bash');
      const values = Object.fromEntries(Object.entries(env).map(([name, text]) => [name, value(text)]));
      return spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', run], {
        cwd: place.folder,
        encoding: 'utf8',
        env: {
          ...place.environment,
          RUNNER_TEMP: place.home,
          GITHUB_STEP_SUMMARY: join(place.folder, 'summary.md'),
          PATH: `${join(place.folder, 'bin')}:${process.env.PATH}`,
          ...values,
        },
      });
    });
    return {
      code: Math.max(...outcomes.map(({ status }) => status ?? 99)),
      stdout: outcomes.map(({ stdout }) => stdout).join(''),
      stderr: outcomes.map(({ stderr }) => stderr).join(''),
    };
  }

  it('is composite, and passes where the skills are fine', () => {
    expect(action.runs.using).toBe('composite');
    // The runners of macOS have bash 3.2.
    const newer = /mapfile|readarray|coproc|declare -[Ang]|local -n|\$\{[^}]*(?:[,^]|@[A-Za-z])\}|&>>|\|&/;
    expect(action.runs.steps.filter(({ run }) => newer.test(run))).toEqual([]);
    cpSync(join(examples, 'csv-cleaning'), join(place.folder, 'my skills/csv-cleaning'), { recursive: true });
    expect(runAction({ paths: 'my skills\n', strict: 'true' })).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('shows each problem, writes SARIF and fails where one is an error', () => {
    writeFaulty();
    const { code, stdout, stderr } = runAction({ paths: 'skills', sarif: 'out.sarif' });
    expect({ code, stderr }).toEqual({ code: 4, stderr: '' });
    expect(stdout).toContain('::error file=skills/hollow/SKILL.md');
    expect(existsSync(join(place.folder, 'out.sarif'))).toBe(true);
    expect(JSON.parse(readFileSync(join(place.folder, 'out.sarif'), 'utf8')).version).toBe('2.1.0');
    const summary = readFileSync(join(place.folder, 'summary.md'), 'utf8');
    expect(summary).toMatch(/^### skillgate validate\n\n3 skills: .*2 errors/);
    expect(summary).toContain('#link-dead) | warning | 1 | `skills/ship/SKILL.md:5` |');
  });

  it.each([
    [
      'a rule that it switches off still counts',
      { 'link-dead': 'off' },
      { 'fail-on': 'secret-found\nlink-dead\n' },
      4,
    ],
    ['a rule that it makes milder still counts', { 'link-dead': 'info' }, { 'max-warnings': '0' }, 4],
    ['a rule that it makes stricter counts', { 'link-dead': 'error' }, {}, 4],
    [
      'all count where the caller lets them',
      { 'link-dead': 'off' },
      { 'max-warnings': '0', 'project-rules': 'true' },
      0,
    ],
  ])('of the configuration in a pull request, %s', (_, rules, inputs, code) => {
    place.write('skills/ship/SKILL.md', skillFile('ship', ONE, 'See [rates](references/rates.md).\n'));
    place.write('skillgate.config.json', JSON.stringify({ validate: { rules } }));
    expect(runAction({ paths: 'skills', sarif: 'out.sarif', ...inputs }).code).toBe(code);
  });

  it('writes no SARIF through a link that leads out of the repository', () => {
    place.write('skills/ship/SKILL.md', skillFile('ship', ONE));
    const elsewhere = temporaryFolder();
    symlinkSync(elsewhere, join(place.folder, 'reports'));
    expect(runAction({ paths: 'skills', sarif: 'reports/out.sarif' })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('reports/out.sarif leads out of the repository'),
    });
    expect(readdirSync(elsewhere)).toEqual([]);
  });
});

describe('skillgate eval', () => {
  const QUERIES = [
    { _id: 'q1', text: 'our mails end up in the junk folder' },
    { _id: 'q2', text: 'find slow queries in postgres' },
  ];
  const files = ['--queries', 'set/queries.jsonl', '--qrels', 'set/qrels.tsv'];
  const measure = (...more: string[]) =>
    place.run('eval', '--skills', examples, '--index', 'index', ...files, ...more);

  /** The second query has a wrong answer on purpose. */
  function writeSet(second = 'csv-cleaning'): void {
    place.write('set/queries.jsonl', QUERIES.map((row) => `${JSON.stringify(row)}\n`).join(''));
    place.write('set/qrels.tsv', `q1\temail-deliverability\t1\nq2\t${second}\t1\n`);
  }

  it('prints the measures, and each missed query with the winner', async () => {
    writeSet();
    const { code, stdout } = await measure();
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Hit@1 50\.0, Hit@5 \d+\.0, nDCG@10 \d+\.\d over 2 queries\.$/m);
    expect(stdout).toContain('1 query whose first hit is not the wanted skill:\n  q2  find slow queries');
    expect(stdout).toMatch(/wanted csv-cleaning \((?:rank \d+|not found)\), first postgres-index-tuning/);
  });

  it('ends with 8 below --min-hit1, or below the --baseline', async () => {
    writeSet();
    expect((await measure('--min-hit1', '0.5')).code).toBe(0);
    const low = await measure('--min-hit1', '0.6');
    expect({ code: low.code, stderr: low.stderr }).toEqual({
      code: 8,
      stderr: 'Hit@1 is 50.0 %, below the 60.0 % of --min-hit1.\n',
    });
    place.write('now.json', (await measure('--json')).stdout);
    const same = await measure('--baseline', 'now.json');
    expect(same.code).toBe(0);
    expect(same.stdout).toContain('Hit@1 50.0 → 50.0 against the baseline: 0 won, 0 lost.');
    // As before a bad edit of a description.
    const better = [
      { query: 'q1', ranking: ['email-deliverability'] },
      { query: 'q2', ranking: ['csv-cleaning'] },
    ];
    place.write('better.json', JSON.stringify({ results: better }));
    const worse = await measure('--baseline', 'better.json');
    expect(worse.code).toBe(8);
    expect(worse.stdout).toContain('0 won, 1 lost.\n  lost q2  find slow queries in postgres');
    place.write('broken.json', '[]');
    expect((await measure('--baseline', 'broken.json')).stderr).toContain('broken.json is not a baseline.');
  });

  it('without files reads the evals/ that skills have', async () => {
    place.write('own/ship/SKILL.md', skillFile('ship', ONE));
    place.write(
      'own/ship/evals/evals.json',
      JSON.stringify({ evals: [{ prompt: 'send the parcel' }, { query: 'x y', should_trigger: false }] }),
    );
    place.write('own/pack/SKILL.md', skillFile('pack', 'Packs parcels. Use when an order is ready.'));
    place.write('own/pack/evals/triggers.yaml', '- query: put the order into a box\n- wrap the goods\n');
    const { code, stdout, stderr } = await place.run(
      'eval',
      '--skills',
      'own',
      '--index',
      'own-index',
      ...['--min-hit1', '0.5', '--json'],
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '3 requests of 2 skills.\n' });
    expect(JSON.parse(stdout)).toMatchObject({ dataset: 'evals of the skills', queries: 3 });
  });

  it('without files ends with 8 where a skill takes the request of another, and names both', async () => {
    place.write(
      'taken/ship/SKILL.md',
      skillFile('ship', 'Ships parcels by boat. Use when a parcel is sent.'),
    );
    place.write('taken/tea/SKILL.md', skillFile('tea', 'Brews green tea. Use when guests are thirsty.'));
    place.write('taken/tea/evals/evals.json', '["ship the parcel by boat"]');
    const measure = (...more: string[]) =>
      place.run('eval', '--skills', 'taken', '--index', 'taken-index', ...more);
    const { code, stdout, stderr } = await measure();
    expect(code).toBe(8);
    expect(stdout).toContain('wanted tea (rank 2), first ship');
    expect(stderr).toContain('Not found first by their own requests: 1 of 1. --min-hit1 allows for some.');
    expect((await measure('--min-hit1', '0')).code).toBe(0);
  });
});

describe('skillgate usage', () => {
  it('counts command-line runs from the audit log, and exports them for eval', async () => {
    const own = ['--skills', examples, '--index', 'index', '--set', 'telemetry.audit=audit.log'];
    expect((await place.run('usage', ...own)).code).toBe(2);
    for (const query of ['our mails end up in the junk folder', 'mails end in the junk folder'])
      await place.run('search', query, ...own);
    await place.run('load', 'email-deliverability', ...own);
    await place.run('search', 'zwxq blorf', ...own);
    const { code, stdout } = await place.run('usage', ...own, '--json');
    expect(code).toBe(0);
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ searches: 3, loads: 1 });
    expect(report.needs[0]).toMatchObject({
      times: 2,
      loaded: 1,
      requests: [expect.any(String), expect.any(String)],
    });
    expect(report.weak.map(({ request }: { request: string }) => request)).toEqual(['zwxq blorf']);
    expect(report.never_found.length).toBeGreaterThan(0);
    expect(readFileSync(join(place.folder, 'audit.log'), 'utf8')).not.toContain('"signal"');
    const printed = await place.run('usage', 'audit.log', '--skills', examples, '--index', 'index');
    expect(printed.stdout).toMatch(/^3 searches for 2 needs, 1 load\.\nMost wanted:\n/);
    expect((await place.run('usage', ...own, '--export', 'set')).code).toBe(0);
    const measured = await place.run(
      ...['eval', '--queries', 'set/queries.jsonl', '--qrels', 'set/qrels.tsv', ...own, '--json'],
    );
    expect(JSON.parse(measured.stdout)).toMatchObject({ queries: 1, means: { 'Hit@1': 1 } });
  });
});
