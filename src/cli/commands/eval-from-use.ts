/**
 * `skillgate eval --from-use`: measures search on what agents asked and then loaded. Learns from the first part by time, and
 * asks the requests of the last, without and with what was learned.
 */

import { type CommonOptions, milliseconds, openLearned } from '../../app/public.ts';
import { asSystem, type Dataset, evaluate, evaluationTable } from '../../evaluation/public.ts';
import { LearnedSignal, splitByTime } from '../../learning/public.ts';
import { counted } from '../../mcp/public.ts';
import { search } from '../../search/public.ts';
import { CliError } from '../exit-codes.ts';
import { print, printReport, say } from '../output.ts';
import { withLibrary } from './with-gateway.ts';

const DEPTH = 10;

export async function evaluateFromUse(options: CommonOptions): Promise<void> {
  await withLibrary(options, async (library, settings) => {
    const { halfLife, minPrincipals } = settings.config.learn;
    const store = await openLearned(settings, say);
    const parts = splitByTime(store.history, milliseconds(halfLife) / 1_000);
    if (parts === null)
      throw new CliError('NOT_FOUND', `${store.file} holds too few requests to hold some of them apart.`);
    const { history, since, asked } = parts;
    const dataset: Dataset = {
      name: 'use',
      queries: asked.map(({ request }, at) => ({ id: String(at + 1), text: request })),
      qrels: new Map(
        asked.map(({ skills }, at) => [String(at + 1), new Map(skills.map((skill) => [skill, 1]))]),
      ),
      notes: [],
    };
    const { learned: _, ...index } = await library.current();
    const fixed = { history, now: since, refresh: () => {} };
    const signal = new LearnedSignal({ store: fixed, embedder: index.embedder, minPrincipals });
    const systems = [
      { name: 'without learning', ...asSystem((request) => search(request, index)) },
      { name: 'with learning', ...asSystem((request) => search(request, { ...index, learned: signal })) },
    ];
    const evaluations = [];
    for (const system of systems) evaluations.push(await evaluate(system, dataset, { depth: DEPTH }));
    say(
      `${counted(asked.length, 'request')} since ${new Date(1_000 * since).toISOString().slice(0, 10)}; learned from ${counted(history.size, 'earlier use')}.`,
    );
    if (options.json === true) printReport(evaluations);
    else print(evaluationTable(evaluations).trimEnd());
  });
}
