import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readWhole, writeWhole } from '../../../index/directory/directory.ts';
import { memoryDirectory } from '../../../index/directory/memory.ts';
import { readSummary } from '../../../src/catalog/stored-summary.ts';
import { summarise } from '../../../src/catalog/summary.ts';
import { skill, testLibrary } from '../gateway/test-library.ts';

const TREE = {
  'pdf-forms/SKILL.md': skill('pdf-forms', 'Fill in pdf forms'),
  'pdf-forms/references/fields.md': '# Fields\n\nTypes of fields.\n',
  'pdf-merge/SKILL.md': skill('pdf-merge', 'Merge pdf pages'),
  'pdf-sign/SKILL.md': skill('pdf-sign', 'Sign pdf pages'),
  'csv-clean/SKILL.md': skill('csv-clean', 'Clean csv tables'),
  'csv-join/SKILL.md': skill('csv-join', 'Join csv tables'),
};

describe('summarise', () => {
  it('counts skills, those with references, and those of each source', async () => {
    const { library } = testLibrary(TREE);
    const { reader } = await library.current();
    expect(await summarise(reader)).toMatchObject({
      skills: 5,
      references: 1,
      sources: [{ name: 'library', skills: 5 }],
      generation: reader.manifest.generation,
    });
  });

  it('of an empty catalog has no themes', async () => {
    expect(await testLibrary({ 'none/.keep': '' }).gateway.summary()).toMatchObject({
      skills: 0,
      themes: [],
      languages: [],
    });
  });
});

describe('themes', () => {
  it('group skills of one subject and have labels that several of them use, deterministically', async () => {
    const subjects = {
      postgres: ['indexes', 'vacuum', 'replication', 'backup'],
      kiln: ['glaze', 'stoneware', 'bisque', 'raku'],
      payroll: ['salary', 'bonus', 'overtime', 'pension'],
    };
    const tree = Object.entries(subjects).flatMap(([subject, parts]) =>
      parts.map((part) => [
        `${subject}-${part}/SKILL.md`,
        `---\nname: ${subject}-${part}\ndescription: ${subject} ${part}, the ${subject} way.\n---\n${subject} ${part}.\n`,
      ]),
    );
    // 12 skills, at least 4 per theme on average: three themes.
    const { themes } = await testLibrary(Object.fromEntries(tree)).gateway.summary();
    expect((await testLibrary(Object.fromEntries(tree)).gateway.summary()).themes).toEqual(themes);
    expect(themes.map(({ label, skills }) => [label, skills]).sort()).toEqual([
      ['kiln', 4],
      ['payroll', 4],
      ['postgres', 4],
    ]);
    for (const { label, samples } of themes)
      for (const name of samples) expect(name).toMatch(new RegExp(`^${label}-`));
  });

  it('leave a single skill without a theme', async () => {
    const tree = { 'one/SKILL.md': '---\nname: one\ndescription: Only this.\n---\nThis.\n' };
    expect((await testLibrary(tree).gateway.summary()).themes).toEqual([]);
  });
});

describe('the stored summary', () => {
  it('is used only for its own generation', async () => {
    const { gateway, directory, clock } = testLibrary(TREE);
    const summary = await gateway.summary();
    expect(readSummary(directory)).toEqual({ summary, pins: [] });
    writeWhole(
      directory,
      'summary.json',
      new TextEncoder().encode(JSON.stringify({ summary: { ...summary, skills: 77 }, pins: [] })),
    );
    expect((await gateway.summary()).skills).toBe(77);
    const older = { ...summary, generation: summary.generation - 1 };
    writeWhole(
      directory,
      'summary.json',
      new TextEncoder().encode(JSON.stringify({ summary: older, pins: [] })),
    );
    clock.ms = 1;
    expect((await gateway.summary()).skills).toBe(5);
    expect(JSON.parse(new TextDecoder().decode(readWhole(directory, 'summary.json')))).toEqual({
      summary,
      pins: [],
    });
  });

  it('is written with the index, and again only where the catalog has moved', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 310 }, (_, at) => [`s${at}/SKILL.md`, skill(`s${at}`, `Brew tea number ${at}`)]),
    );
    const { library, directory, root, gateway } = testLibrary(many);
    await library.update();
    const first = readSummary(directory)!;
    expect(first.summary.skills).toBe(310);
    // 6 of 310 are less than 2 %.
    for (let at = 0; at < 6; at += 1) rmSync(join(root, `s${at}`), { recursive: true });
    await library.update();
    expect(readSummary(directory)).toEqual(first);
    // What it costs nothing to know is right.
    expect(await gateway.summary({ atOnce: true })).toMatchObject({
      skills: 304,
      themes: first.summary.themes,
    });
    for (let at = 6; at < 14; at += 1) rmSync(join(root, `s${at}`), { recursive: true });
    await library.update();
    expect(readSummary(directory)?.summary.skills).toBe(296);
  });

  it('is read at once without opening the index', async () => {
    const { library, directory, root } = testLibrary(TREE);
    await library.update();
    await library.close();
    const next = testLibrary(root, { directory });
    const { openFiles } = next.done;
    expect((await next.gateway.summary({ atOnce: true })).skills).toBe(5);
    expect(next.done).toMatchObject({ scans: 0, openFiles });
    expect(next.library.isOpen).toBe(false);
  });

  it.each(['', 'no JSON', 'null', '{}'])('counts as missing where the file holds %j', async (text) => {
    const { gateway, directory } = testLibrary(TREE);
    await gateway.summary();
    writeWhole(directory, 'summary.json', new TextEncoder().encode(text));
    expect((await gateway.summary()).skills).toBe(5);
  });

  it('is left to those who serve an index that is published', async () => {
    const { library, directory } = testLibrary(TREE, { isPublished: true });
    await library.update();
    expect(readSummary(directory)).toBeNull();
  });

  it('is null where there is none', () => {
    expect(readSummary(memoryDirectory())).toBeNull();
  });
});
