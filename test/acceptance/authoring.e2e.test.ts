/** Promise: authors of skills see what to change, in the format of their code host, and nothing of theirs is lost. */

import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { applyPatch, parsePatch, reversePatch } from 'diff';
import { beforeEach, describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { examples, program, root, skillFile, type Workplace, workplace } from './command.ts';

let place: Workplace;
beforeEach(() => {
  place = workplace();
});

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
  it('reports dead links, and an empty or binary skill file as an error', async () => {
    writeFaulty();
    const { code, stdout } = await place.run('validate', 'skills', '--json');
    expect(code).toBe(4);
    const { errors, diagnostics } = JSON.parse(stdout);
    expect(errors).toBe(2);
    expect(diagnostics).toEqual(
      expect.arrayContaining([
        {
          skill: 'hollow',
          file: 'skills/hollow/SKILL.md',
          diagnostic: expect.objectContaining({ id: 'skill-empty', severity: 'error' }),
        },
        {
          skill: 'noise',
          file: 'skills/noise/SKILL.md',
          diagnostic: expect.objectContaining({ id: 'skill-binary', severity: 'error' }),
        },
        {
          skill: 'ship',
          file: 'skills/ship/SKILL.md',
          diagnostic: expect.objectContaining({ id: 'link-dead', position: { line: 5, column: 13 } }),
        },
      ]),
    );
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

  it('--fix writes what is mechanical and prints a diff that gives the files back', async () => {
    const before = `\n---\ndescription: Ships: all of it, when an order is paid\nallowed-tools: Read, Grep\n---\n\nShip it.\n\n`;
    place.write('skills/ship/SKILL.md', before);
    const file = join(place.folder, 'skills/ship/SKILL.md');
    const dry = await place.run('validate', 'skills', '--fix', '--dry-run');
    expect(readFileSync(file, 'utf8')).toBe(before);
    const { code, stdout, stderr } = await place.run('validate', 'skills', '--fix');
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: '1 skill fixed; the diff above, reversed, gives the files as they were.\n',
    });
    const after = readFileSync(file, 'utf8');
    expect(after).toBe(
      `---\nname: ship\ndescription: 'Ships: all of it, when an order is paid'\nallowed-tools: Read Grep\n---\n\nShip it.\n\n`,
    );
    const diff = dry.stdout.slice(0, dry.stdout.lastIndexOf('\nskills/') + 1) || dry.stdout;
    const [patch] = parsePatch(diff.slice(0, diff.search(/\n\d+ skills?:/)));
    expect(applyPatch(after, reversePatch(patch!))).toBe(before);
    expect(stdout).toContain('1 skill: 1 meets the Agent Skills specification, 0 errors');
    expect((await place.run('validate', 'skills', '--fix', '--json')).stdout).toContain('"fixed": []');
  });

  it('--fix without a folder writes in the project only, and not what a link of it leads to', async () => {
    const faulty = (name: string) => `---\nname: ${name}\ndescription: Ships: all of it\n---\n\nShip it.\n`;
    const elsewhere = ['home/.claude/skills/a', 'home/.claude/plugins/cache/p/skills/b', 'home/shared/c'];
    for (const folder of elsewhere) place.write(`${folder}/SKILL.md`, faulty(folder.slice(-1)));
    place.write('project/.git/HEAD', '');
    place.write('project/.claude/skills/d/SKILL.md', faulty('d'));
    symlinkSync(join(place.folder, 'home/shared/c'), join(place.folder, 'project/.claude/skills/c'));
    const { stderr } = await place.runIn('project', 'validate', '--fix');
    expect(stderr).toContain('1 skill fixed');
    expect(stderr).toMatch(
      /^Left alone: \d skills that could be fixed in folders that are not this project's/m,
    );
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
    const { stdout } = await place.run('validate', 'skills', '--fix');
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

  it('--dry-run without --fix is wrong usage', async () => {
    expect((await place.run('validate', examples, '--dry-run')).code).toBe(2);
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

  it('is as strict as its inputs say', () => {
    place.write('skills/ship/SKILL.md', skillFile('ship', ONE, 'See [rates](references/rates.md).\n'));
    expect(runAction({ paths: 'skills' }).code).toBe(0);
    expect(runAction({ paths: 'skills', 'fail-on': 'secret-found\nlink-dead\n' }).code).toBe(4);
    expect(runAction({ paths: 'skills', 'max-warnings': '0' }).code).toBe(4);
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

  it('shows BM25 on names and descriptions next to the figures, and each missed query with the winner', async () => {
    writeSet();
    const { code, stdout } = await measure();
    expect(code).toBe(0);
    expect(stdout).toMatch(/^skillgate +2 +50\.0/m);
    expect(stdout).toMatch(/^bm25-card +2 /m);
    expect(stdout).toContain('1 query whose first hit is not the wanted skill:\n  q2  find slow queries');
    expect(stdout).toMatch(/wanted csv-cleaning \((?:rank \d+|not found)\), first postgres-index-tuning/);
    const { missed, cards } = JSON.parse((await measure('--json')).stdout);
    expect(missed).toEqual([
      expect.objectContaining({ query: 'q2', wanted: ['csv-cleaning'], winner: 'postgres-index-tuning' }),
    ]);
    expect(cards).toMatchObject({ system: 'bm25-card', queries: 2 });
  });

  it('ends with 8 below --min-hit1, or below the run of --baseline', async () => {
    writeSet();
    expect((await measure('--min-hit1', '0.5')).code).toBe(0);
    const low = await measure('--min-hit1', '0.6');
    expect({ code: low.code, stderr: low.stderr }).toEqual({
      code: 8,
      stderr: 'Hit@1 is 50.0 %, below the 60.0 % of --min-hit1.\n',
    });
    writeSet('postgres-index-tuning');
    expect((await measure('--run', 'good.run')).code).toBe(0);
    expect((await measure('--baseline', 'good.run')).code).toBe(0);
    // The same judgements, and a worse ranking: as after a bad edit of a description.
    const { stdout } = await measure('--baseline', 'good.run');
    expect(stdout).toContain('Hit@1 100.0 → 100.0 against the baseline, p 1.000: 0 won, 0 lost.');
    writeSet();
    place.write('better.run', 'q1 Q0 email-deliverability 1 1 x\nq2 Q0 csv-cleaning 1 1 x\n');
    const worse = await measure('--baseline', 'better.run');
    expect(worse.code).toBe(8);
    expect(worse.stdout).toContain('0 won, 1 lost.\n  lost q2  find slow queries in postgres');
    place.write('broken.run', 'q1 email-deliverability\n');
    expect((await measure('--baseline', 'broken.run')).stderr).toContain('broken.run:1: expected');
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
      '--json',
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '3 requests from evals/ of 2 skills.\n' });
    expect(JSON.parse(stdout)).toMatchObject({ dataset: 'evals of the skills', queries: 3 });
  });

  it('--make-queries --only draws from one source', async () => {
    place.write('a/one/SKILL.md', skillFile('one', ONE));
    place.write('b/two/SKILL.md', skillFile('two', ONE));
    const both = ['--skills', 'a', '--skills', 'b', '--index', 'both-index'];
    expect((await place.run('eval', '--make-queries', 'made', '--only', 'b', ...both)).code).toBe(0);
    const qrels = readFileSync(join(place.folder, 'made/qrels.tsv'), 'utf8');
    expect(qrels).toBe('query-id\tcorpus-id\tscore\nq001\ttwo\t3\n');
    const wrong = await place.run('eval', '--make-queries', 'other', '--only', 'c', ...both);
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('Sources: a, b.') });
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

describe('skillgate ranks', () => {
  const own = ['--skills', examples, '--index', 'index'];
  const REQUESTS = [
    'the weekly digest never reaches people at big companies',
    'our mails end up in the junk folder',
    'half of the recipients on the list are dead addresses',
  ];

  it('lists the rank for each request, which is the one that a search gives', async () => {
    place.write('requests.txt', `${REQUESTS.join('\n')}\n`);
    const args = ['ranks', 'email-deliverability', '--queries', 'requests.txt', ...own, '--json'];
    const { code, stdout } = await place.run(...args);
    expect(code).toBe(0);
    const { id, ranks } = JSON.parse(stdout);
    expect(id).toBe('email-deliverability');
    expect(ranks.map(({ request }: { request: string }) => request)).toEqual(REQUESTS);
    for (const { request, rank, first } of ranks) {
      const { hits } = JSON.parse((await place.run('search', request, ...own, '--json', '-k', '50')).stdout);
      expect(hits.findIndex((hit: { id: string }) => hit.id === id) + 1).toBe(rank);
      expect(hits[0].id).toBe(first);
    }
  }, 180_000);

  it('with --qrels counts what it takes from other skills', async () => {
    place.write(
      'q.jsonl',
      REQUESTS.map((text, at) => `${JSON.stringify({ _id: `q${at}`, text })}\n`).join(''),
    );
    place.write('q.tsv', 'q0\temail-deliverability\t1\nq1\temail-deliverability\t1\nq2\tcsv-cleaning\t1\n');
    const args = ['ranks', 'email-deliverability', '--queries', 'q.jsonl', '--qrels', 'q.tsv', ...own];
    const { ranks } = JSON.parse((await place.run(...args, '--json')).stdout);
    expect(ranks.map(({ is_own }: { is_own: boolean }) => is_own)).toEqual([true, true, false]);
    expect(ranks[2].takes).toBe(true);
    const { stdout } = await place.run(...args);
    expect(stdout).toMatch(/^email-deliverability: first for \d of 2 requests\.\n/);
    expect(stdout).toContain('takes this from the skill that it is for');
  }, 180_000);

  it('needs a set of requests', async () => {
    expect((await place.run('ranks', 'csv-cleaning', ...own)).code).toBe(2);
    expect((await place.run('ranks', 'csv-cleaning', '--queries', 'none.txt', ...own)).code).toBe(2);
  });
});

describe('skillgate new', () => {
  const WHAT = [
    '--does',
    'Writes dunning letters for unpaid invoices',
    '--when',
    'a customer has not paid in time',
  ];

  it('writes a skill that validates, and shows which requests find it', async () => {
    cpSync(examples, join(place.folder, 'skills'), { recursive: true });
    const requests = [
      '--request',
      'remind a customer of the unpaid invoice',
      '--request',
      'find slow queries in postgres',
    ];
    const args = [
      'new',
      'dunning-letters',
      ...WHAT,
      ...requests,
      '--skills',
      'skills',
      '--index',
      'index',
      '--json',
    ];
    const { code, stdout } = await place.run(...args);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      id: 'dunning-letters',
      description: 'Writes dunning letters for unpaid invoices. Use when a customer has not paid in time.',
      fault: null,
      collisions: [],
      requests: [{ rank: 1, first: 'dunning-letters' }, { first: 'postgres-index-tuning' }],
    });
    const valid = await place.run('validate', 'skills', '--strict', '--json');
    expect(JSON.parse(valid.stdout)).toMatchObject({ skills: 33, strict: 33, errors: 0, diagnostics: [] });
    // Nothing of an author is overwritten.
    expect((await place.run(...args)).code).toBe(2);
  }, 180_000);

  it('writes where the other skills of the project are, and says why', async () => {
    place.write('project/.git/HEAD', '');
    place.write('project/.agents/skills/ship/SKILL.md', skillFile('ship', ONE));
    place.write('project/src/code.ts', '');
    const { code, stdout } = await place.runIn('project/src', 'new', 'dunning-letters', ...WHAT);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /^Wrote \S+\/project\/\.agents\/skills\/dunning-letters\/SKILL\.md: next to 1 skill of this project\./,
      ),
    });
    expect(existsSync(join(place.folder, 'project/.agents/skills/dunning-letters/SKILL.md'))).toBe(true);
  }, 180_000);

  it('names the skill that it collides with', async () => {
    place.write(
      'skills/dunning/SKILL.md',
      skillFile(
        'dunning-letter',
        'Writes dunning letters for unpaid invoices. Use when a customer has not paid in time.',
        'Other text.\n',
      ),
    );
    const { stdout } = await place.run(
      'new',
      'dunning-letters',
      ...WHAT,
      '--skills',
      'skills',
      '--index',
      'index',
    );
    expect(stdout).toMatch(/^Collides with dunning \(\d\.\d{3}\)/m);
  }, 180_000);

  it('refuses names that the specification refuses, and asks nobody in a script', async () => {
    expect((await place.run('new', 'No Name', ...WHAT, '--skills', examples)).code).toBe(2);
    const { code, stderr } = await place.run('new', 'fine', '--skills', examples);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('--does') });
  });
});
