/**
 * `npm run bench -- peers`: skillgate beside what people would take instead, on the same cards, vectors and queries, in one
 * run. Each runs in a process of its own, one after another.
 */

import { mkdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bestDocuments, readDatasetFolder } from '../../evaluation/dataset-folder.ts';
import { columns, percent } from '../../evaluation/table.ts';
import { withScratchFolder } from '../../paths.ts';
import { progressBar } from '../../progress.ts';
import { amongSizes, publish } from '../../results-file.ts';
import { insideReport, type PeerFigures, peerReport } from '../figures.ts';
import { mb, ms } from '../floors-table.ts';
import { runNode } from '../usage.ts';
import { PEERS } from './all.ts';
import type { PeerQuery } from './peer.ts';

interface PeersOptions {
  readonly index: string;
  readonly dataset: string;
  readonly only?: string;
  readonly write?: string;
}

const child = (file: string, args: readonly string[]) =>
  runNode(['--import', 'tsx', fileURLToPath(new URL(file, import.meta.url)), ...args]);

const HEAD = ['skills', '', 'build s', 'p50 ms', 'p99 ms', '× skillgate', 'MB', 'Hit@1'];

export async function measurePeers({ index, dataset, only = '', write }: PeersOptions): Promise<void> {
  const show = progressBar();
  const peers = PEERS.filter(({ name }) => name.toLowerCase().includes(only.toLowerCase()));
  const judged = await readDatasetFolder(dataset);
  const idByText = new Map(judged.queries.map(({ id, text }) => [text, id]));
  const rows = await withScratchFolder(async (scratch) => {
    const corpus = join(scratch, 'corpus');
    await mkdir(corpus);
    show('skillgate', 0, peers.length + 1);
    const queriesFile = join(resolve(dataset), 'queries.jsonl');
    const own = await child('../in-process.ts', [resolve(index), queriesFile, '500', corpus]);
    const { inside, first = [] } = insideReport.parse(JSON.parse(own.stdout));
    const asked: readonly PeerQuery[] = JSON.parse(await readFile(join(corpus, 'queries.json'), 'utf8'));
    const hits = (ids: readonly string[]) =>
      asked.filter(({ text }, at) => bestDocuments(judged, idByText.get(text) ?? '').has(ids[at] ?? ''))
        .length;
    // The dataset may be about other skills: then only time is compared.
    const isJudged = hits(first) > 0;
    const all: PeerFigures[] = [
      { name: 'skillgate, all passages', search: inside.search, bytes: own.bytes, first },
    ];
    for (const [at, { name }] of peers.entries()) {
      show(name, at + 1, peers.length + 1);
      const words = [name, corpus, ...(isJudged ? ['judged'] : [])];
      all.push(
        await child('run.ts', words).then(
          ({ stdout }) => peerReport.parse(JSON.parse(stdout)),
          // A catalog of this size may be too much for it.
          (error) => ({
            name,
            skipped: `fails: ${/^\w+Error: .+$/m.exec(String(error))?.[0] ?? 'no reason'}`,
          }),
        ),
      );
    }
    const skills = (await readFile(join(corpus, 'cards.jsonl'), 'utf8')).trimEnd().split('\n').length;
    const timed = ({ p50, p99 }: NonNullable<PeerFigures['search']>) => [
      ms(p50),
      ms(p99),
      (p50 / inside.search.p50).toFixed(2),
    ];
    return all.map(({ name, skipped, buildMs, search, bytes, first: ids }) => [
      String(skills),
      name,
      skipped ?? (buildMs === undefined ? '–' : ms(buildMs / 1000)),
      ...(search === undefined ? ['–', '–', '–'] : timed(search)),
      bytes === undefined ? '–' : mb(bytes),
      isJudged && ids !== undefined ? percent(hits(ids) / asked.length) : '–',
    ]);
  });
  await publish(
    {
      name: 'peers',
      title: 'Beside the peers',
      figures: columns([HEAD, ...(await amongSizes('peers', rows))], [1]),
      conditions:
        'Cards and one vector a skill, the embedding of the query not counted for peers. MB is the process with the corpus in memory; of PostgreSQL its connection.',
    },
    write,
  );
}
