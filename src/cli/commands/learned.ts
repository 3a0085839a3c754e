/** `skillgate learned …`: reads and changes what was learned from use. Works whether learning is on or not. */

import { type CommonOptions, openLearned, processEnvironment, settingsOf } from '../../app/public.ts';
import { columns } from '../../evaluation/public.ts';
import { readRegularSync } from '../../files/public.ts';
import { resolveSkill } from '../../gateway/public.ts';
import {
  exported,
  imported,
  type LearnedStore,
  requestText,
  type SkillHistory,
  type Use,
} from '../../learning/public.ts';
import { counted } from '../../mcp/public.ts';
import { LOCAL } from '../../policy/public.ts';
import { CliError } from '../exit-codes.ts';
import { clip, print, printReport, say, width } from '../output.ts';
import { withLibrary } from './with-gateway.ts';

/** The whole history of a large gateway takes less, bytes. */
const MAX_IMPORTED = 64 * 2 ** 20;
/** Columns of the numbers next to a request. */
const NUMBERS_WIDTH = 36;

export interface MarkOptions extends CommonOptions {
  readonly query: string;
}

export interface ForgetOptions extends CommonOptions {
  readonly request?: string;
  readonly principal?: string;
  readonly all?: boolean;
}

export async function list(options: CommonOptions): Promise<void> {
  const store = await opened(options);
  const skills = [...store.history.skills.values()].map((skill) => {
    const uses = [...skill.requests.values()].flatMap((request) => [...request.uses.values()]);
    return { skill: skill.id, requests: skill.requests.size, ...sumOf(uses), gone: skill.goneSince !== null };
  });
  skills.sort((a, b) => (a.last < b.last ? 1 : a.last > b.last ? -1 : a.skill < b.skill ? -1 : 1));
  if (options.json === true) {
    printReport({ file: store.file, skills });
    return;
  }
  if (skills.length === 0) {
    say(`Nothing was learned yet: ${store.file} holds nothing.`);
    return;
  }
  print(
    columns([
      ['skill', 'requests', 'loads', 'left', 'principals', 'last'],
      ...skills.map(({ skill, requests, loads, left, principals, last, gone }) => [
        gone ? `${skill} (gone)` : skill,
        String(requests),
        String(loads),
        String(left),
        String(principals),
        last,
      ]),
    ]).trimEnd(),
  );
}

export async function show(name: string, options: CommonOptions): Promise<void> {
  const store = await opened(options);
  const { id, requests } = historyOf(store, name);
  const rows = [...requests.values()].map(({ text, uses }) => ({
    request: text,
    ...sumOf([...uses.values()]),
  }));
  rows.sort((a, b) => b.loads - b.left - (a.loads - a.left) || (a.request < b.request ? -1 : 1));
  if (options.json === true) {
    printReport({ skill: id, requests: rows });
    return;
  }
  print(id);
  print(
    columns([
      ['request', 'loads', 'left', 'principals', 'last'],
      ...rows.map(({ request, loads, left, principals, last }) => [
        clip(request, width() - NUMBERS_WIDTH),
        String(loads),
        String(left),
        String(principals),
        last,
      ]),
    ]).trimEnd(),
  );
}

export async function mark(name: string, verdict: string, options: MarkOptions): Promise<void> {
  if (verdict !== 'useful' && verdict !== 'wrong')
    throw new CliError('USAGE', `A skill is useful or wrong for a request, not "${verdict}".`);
  const request = requestText(options.query);
  if (request === '') throw new CliError('USAGE', '--query is empty: give the request.');
  const entry = await withLibrary(options, async (library) => {
    const { reader, precedence } = await library.current();
    return resolveSkill(reader, name, precedence);
  });
  const store = await opened(options);
  const known = { skill: entry.id, request, who: LOCAL.id, at: store.now };
  const use = { kind: 'use', ...known, name: entry.name, digest: entry.digest } as const;
  await store.addNow(verdict === 'useful' ? [use] : [use, { kind: 'left', ...known, instead: null }]);
  say(`${entry.id} is ${verdict} for "${request}".${await hintIfOff(options)}`);
}

export async function forget(name: string | undefined, options: ForgetOptions): Promise<void> {
  const { request, principal, all } = options;
  if (name === undefined && request === undefined && principal === undefined && all !== true)
    throw new CliError('USAGE', 'Name a skill, --request, --principal, or --all to forget everything.');
  const store = await opened(options);
  const before = store.history.size;
  await store.addNow([
    {
      kind: 'forget',
      ...(name !== undefined && { skill: historyOf(store, name).id }),
      ...(request !== undefined && { request }),
      ...(principal !== undefined && { who: principal }),
    },
  ]);
  const forgotten = before - store.history.size;
  if (options.json === true) printReport({ forgotten });
  else say(`Forgot ${counted(forgotten, 'use')}; ${counted(store.history.size, 'use')} left.`);
}

export async function exportAll(options: CommonOptions): Promise<void> {
  const { history } = await opened(options);
  process.stdout.write(exported(history));
}

export async function importFile(file: string, options: CommonOptions): Promise<void> {
  const records = imported(new TextDecoder().decode(readRegularSync(file, MAX_IMPORTED)), file);
  const store = await opened(options);
  await store.addNow(records);
  say(`Imported ${counted(records.length, 'use')} into ${store.file}.${await hintIfOff(options)}`);
}

async function opened(options: CommonOptions): Promise<LearnedStore> {
  return openLearned(await settingsOf(options, processEnvironment()), say);
}

async function hintIfOff(options: CommonOptions): Promise<string> {
  const { config } = await settingsOf(options, processEnvironment());
  return config.learn.enabled ? '' : ' Learning is off, so it changes no answer: set learn to true.';
}

/** The skill with this id, name, or end of an id. */
function historyOf({ history, file }: LearnedStore, name: string): SkillHistory {
  const all = [...history.skills.values()];
  const [found, ...others] =
    [
      all.filter(({ id }) => id === name),
      all.filter(({ id, name: own }) => own === name || id.endsWith(`/${name}`) || id.endsWith(`:${name}`)),
    ].find((some) => some.length > 0) ?? [];
  if (found === undefined)
    throw new CliError(
      'NOT_FOUND',
      `Nothing was learned of a skill "${name}" in ${file}: skillgate learned list.`,
    );
  if (others.length > 0)
    throw new CliError(
      'USAGE',
      `Several skills are called "${name}": ${[found, ...others].map(({ id }) => id).join(', ')}.`,
    );
  return found;
}

function sumOf(uses: readonly Use[]) {
  let [loads, left, last] = [0, 0, 0];
  for (const use of uses) {
    loads += use.used;
    for (const times of use.left.values()) left += times;
    last = Math.max(last, use.last);
  }
  return {
    loads: Math.round(10 * loads) / 10,
    left: Math.round(10 * left) / 10,
    principals: new Set(uses.map(({ who }) => who)).size,
    last: new Date(1_000 * last).toISOString().slice(0, 10),
  };
}
