/** Names and paths that a project, a source or a log brings: no command prints them so that they forge a line or are obeyed. */

import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { skillFile, type Workplace, workplace } from '../acceptance/command.ts';

/** A line break and a command of a workflow, a reversed direction, a colour, and the older form of such a command. */
const BAD = 'x\n::error::forged\u202e\x1b[31m##[error]forged';
/** Those of git refs and URLs, which cannot have control characters. */
const ODD = 'x\u202e##[error]forged';

let place: Workplace;
let project: string;
beforeAll(() => {
  place = workplace();
  project = `${BAD} project`;
  const write = (path: string, text: string) => place.write(join(project, path), text);
  const skills = '.claude/skills';
  write(
    `${skills}/${BAD}/SKILL.md`,
    skillFile('tea', 'Brews tea. Use when tea is wanted.', 'See [x](gone.md).\n'),
  );
  write(`${skills}/${BAD}/references/${BAD}.md`, '# Tea\n\nGreen tea.\n');
  write(`${skills}/${BAD}/scripts/${BAD}.sh`, 'echo\n');
  write(`${skills}/${BAD}/evals/evals.json`, JSON.stringify([{ query: BAD, should_trigger: true }]));
  write(
    `${skills}/bad ${BAD}/SKILL.md`,
    `---\nname: ${JSON.stringify(BAD)}\ntags: [${JSON.stringify(BAD)}\n---\nTea.\n`,
  );
  write(
    `${skills}/named/SKILL.md`,
    `---\nname: ${JSON.stringify(BAD)}\ndescription: Brews tea twice.\n---\nTea.\n`,
  );
  write(`${skills}/none/${BAD}`, '');
  write('more/green/SKILL.md', skillFile('green', 'Brews green tea. Use when green tea is wanted.'));
  write(
    '.mcp.json',
    JSON.stringify({ mcpServers: { [BAD]: { command: BAD }, skillgate: { command: BAD, args: [BAD] } } }),
  );
  write(
    'log.jsonl',
    `${JSON.stringify({ at: BAD, call: 'search', principal: BAD, request: { query: BAD } })}\n`,
  );
  write(
    'skillgate.config.json',
    JSON.stringify({
      sources: [
        { kind: 'local', root: './more' },
        { kind: 'local', root: './.claude/skills', name: 'own' },
        { kind: 'local', root: `./${BAD}` },
        { kind: 'git', url: `https://127.0.0.1:9/${ODD}`, ref: ODD, folder: ODD, name: 'far' },
        { kind: 'archive', path: `./${BAD}.zip`, name: 'packed' },
        { kind: 'mcp', command: BAD, name: 'server' },
      ],
      pinned: [BAD],
    }),
  );
  write('broken.json', JSON.stringify({ [BAD]: 1, sources: [{ kind: BAD }], policy: { [BAD]: 2 } }));
  mkdirSync(join(place.folder, project, BAD));
  execFileSync('git', ['init', '-q'], { cwd: join(place.folder, project) });
});

/** By words; those that print texts of skills do so as they are, and are not here. */
const COMMANDS: readonly (readonly string[])[] = [
  ['index'],
  ['index', BAD],
  ['list'],
  ['list', '--json'],
  ['list', '--pinned'],
  ['search', 'tea'],
  ['search', 'tea', '--verbose'],
  ['search', 'tea', '--json'],
  ['search', BAD],
  ['why', 'tea', BAD],
  ['why', 'tea', 'green'],
  ['load', BAD],
  ['load', 'named'],
  ['read', 'own:named', BAD],
  ['read', BAD, `references/${BAD}.md`],
  ['run', BAD, `scripts/${BAD}.sh`],
  ['validate'],
  ['validate', '--all'],
  ['validate', '--json'],
  ['validate', '--format', 'sarif'],
  ['validate', BAD],
  ['validate', '--fix', '--dry-run'],
  ['doctor'],
  ['doctor', '--json'],
  ['stats'],
  ['stats', '--collisions'],
  ['stats', '--collisions', '--json'],
  ['instructions'],
  ['context'],
  ['hint', '--verbose'],
  ['eval'],
  ['eval', '--queries', BAD, '--qrels', BAD],
  ['usage', 'log.jsonl'],
  ['usage', BAD],
  ['policy', 'explain', BAD],
  ['policy', 'explain', 'local', 'named'],
  ['config', 'print'],
  ['config', 'check'],
  ['config', 'check', '--config', 'broken.json'],
  ['config', 'path'],
  ['list', '--config', 'broken.json'],
  ['list', '--set', `${BAD}=1`],
  ['sources', 'list'],
  ['sources', 'status'],
  ['sources', 'status', '--json'],
  ['sources', 'refresh'],
  ['sources', 'refresh', BAD],
  ['sources', 'add', BAD],
  ['sources', 'add', `./${BAD}`, '--name', BAD],
  ['sources', 'remove', BAD],
  ['connect', 'claude-code', '--scope', 'project'],
  ['connect', BAD],
  ['connect', 'cursor', '--scope', 'project', '--yes'],
  ['cache'],
  ['cache', 'clean'],
  ['token', 'create', BAD],
  ['token', 'list'],
  ['token', 'revoke', `not ${BAD}`],
  ['trust', '--list'],
  ['trust'],
  ['trust', '--revoke', BAD],
  ['forget', '--all'],
  ['store', 'status'],
  ['explore', '--index', BAD, '--config', BAD],
  [BAD],
  ['serve', '--http', '--config', BAD],
];

describe('a project full of hostile names', () => {
  it.each(COMMANDS)('forges no line and no command: %j %j %j', async (...args) => {
    const { stdout, stderr } = await place.runIn(project, ...args);
    const isText = ['instructions', 'context', 'load', 'read', 'validate --fix'].some((name) =>
      args.join(' ').startsWith(name),
    );
    for (const text of isText ? [stderr] : [stdout, stderr]) {
      expect(text).not.toMatch(/^\s*::error/m);
      // The contents of a diff are as they are.
      if (args[0] !== 'connect') expect(text).not.toMatch(/[\u202e\x1b]|##\[/);
    }
    expect(stderr).not.toMatch(/\n {4}at /);
  });
});
