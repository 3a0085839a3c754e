import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCollection } from '../../bench/collection.ts';
import { filterSources } from '../../bench/sources.ts';
import { parseSkill } from '../../src/skills/parse.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillgate-collection-'));
  await writeFile(join(folder, 'queries.jsonl'), '{"id": "q1", "text": "latest stock news"}\n');
  await writeFile(
    join(folder, 'qrels.tsv'),
    'query-id\tcorpus-id\tscore\nq1\tA|b/c\t1\nq1\tNews: "today"\t1\n',
  );
});
afterEach(() => rm(folder, { recursive: true }));

async function skill(path: string): Promise<void> {
  await mkdir(join(folder, path), { recursive: true });
  await writeFile(join(folder, path, 'SKILL.md'), '---\nname: x\ndescription: y\n---\n');
}

const idsOf = async (sources: Awaited<ReturnType<typeof openCollection>>['sources']) =>
  (await Promise.all(sources.map((source) => source.scan()))).flatMap(({ folders }) =>
    folders.map(({ id }) => id),
  );

describe('openCollection', () => {
  it('makes each row of a corpus a skill and renames it in the judgements', async () => {
    const rows = [
      { id: 'A|b/c', title: 'Finance: "quotes" #1', text: 'Prices.\nAnd more: yes.' },
      { id: 'News: "today"', title: 'News', text: 'Headlines' },
    ];
    await writeFile(join(folder, 'corpus.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join('\n'));
    const collection = await openCollection(folder, []);
    const [scan] = await Promise.all(collection.sources.map((source) => source.scan()));
    expect(scan!.folders.map(({ id }) => id)).toEqual(['row-000001', 'row-000002']);
    expect(collection.dataset.qrels.get('q1')).toEqual(
      new Map([
        ['row-000001', 1],
        ['row-000002', 1],
      ]),
    );
    // Two judged skills do not mean that both are needed.
    expect(collection.dataset.queries[0]!.parts).toBeUndefined();
    const [first] = scan!.folders;
    const bytes = readFileSync(join(first!.folder, first!.file));
    const parsed = parseSkill(bytes, { path: first!.file, folder: 'row-000001' });
    expect(parsed).toMatchObject({ name: rows[0]!.title, description: rows[0]!.text });
    await collection.close();
    expect(existsSync(first!.folder)).toBe(false);
  });

  it('names the invalid line of a corpus', async () => {
    await writeFile(
      join(folder, 'corpus.jsonl'),
      '{"id": "a", "title": "x", "text": "y"}\n\n{"title": "z"}\n',
    );
    await expect(openCollection(folder, [])).rejects.toThrow(/corpus\.jsonl:3: /);
    await writeFile(join(folder, 'corpus.jsonl'), '{"id": "a", ');
    await expect(openCollection(folder, [])).rejects.toThrow(/corpus\.jsonl:1: /);
  });

  it('combines the skills of the dataset and the given folders', async () => {
    await skill('skills/one');
    await skill('elsewhere/two');
    const { sources } = await openCollection(folder, [join(folder, 'elsewhere')]);
    expect(await idsOf(sources)).toEqual(['one', 'two']);
  });

  it('suggests --skills if there are no skills', async () => {
    await expect(openCollection(folder, [])).rejects.toThrow(/--skills DIR/);
  });
});

describe('filterSources', () => {
  it('keeps only the wanted skills', async () => {
    await skill('skills/one');
    await skill('skills/two');
    const { sources } = await openCollection(folder, []);
    expect(await idsOf(filterSources(sources, (id) => id === 'two'))).toEqual(['two']);
    expect(await idsOf(sources)).toEqual(['one', 'two']);
  });
});
