/** Catalogs in other languages than English, mixed ones, and queries in a language that the catalog does not have. */

import { beforeEach, describe, expect, it } from 'vitest';
import type { Gateway } from '../../../src/gateway/gateway.ts';
import { verdictOf } from '../../../src/search/verdict.ts';
import { skill, testLibrary } from '../gateway/test-library.ts';

const ENGLISH = {
  'db-backup': skill('db-backup', 'Back up the databases of a server, and restore them when a disk is lost'),
  'pdf-forms': skill('pdf-forms', 'Fill in the fields of PDF forms and check that they are complete'),
  'release-notes': skill('release-notes', 'Write the release notes of a project from what was merged'),
  'mail-triage': skill('mail-triage', 'Sort the mail of a team and answer what is asked most often'),
};
const GERMAN = {
  'db-sicherung': skill(
    'db-sicherung',
    'Sichert die Datenbank eines Servers und stellt sie nach einem Ausfall wieder her',
  ),
  'pdf-formulare': skill(
    'pdf-formulare',
    'Füllt die Felder von Formularen aus und prüft, ob sie vollständig sind',
  ),
  'brief-schreiben': skill(
    'brief-schreiben',
    'Schreibt einen Brief an Kunden und prüft, ob der Ton zu ihnen passt',
  ),
  'bild-schnitt': skill(
    'bild-schnitt',
    'Schneidet das Bild eines Produkts zu und ändert seine Größe für die Seite',
  ),
};
const SPANISH = {
  'copia-seguridad': skill(
    'copia-seguridad',
    'Hace una copia de seguridad de la base de datos y la restaura después de un fallo',
  ),
  'formularios-pdf': skill(
    'formularios-pdf',
    'Rellena los campos de un formulario y comprueba que no falta ninguno',
  ),
  'notas-version': skill(
    'notas-version',
    'Escribe las notas de una versión con los cambios que se han hecho en el proyecto',
  ),
};
const JAPANESE = {
  'db-hozon': skill('db-hozon', 'サーバーのデータベースをバックアップし、障害のあとに復元する'),
  'pdf-kinyu': skill('pdf-kinyu', '申請書の項目に記入し、漏れがないか確認する'),
  gijiroku: skill('gijiroku', '会議の録音から議事録を作成し、参加者に送る'),
};

const tree = (skills: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(skills).map(([name, text]) => [`${name}/SKILL.md`, text]));

const search = (gateway: Gateway, query: string) => gateway.search({ query, limit: 5 });
const firstOf = async (gateway: Gateway, query: string) => (await search(gateway, query)).hits[0]?.entry.name;

describe('a catalog in one language that is not English', () => {
  it.each([
    ['German', GERMAN, 'Wie kann ich die Datenbanken von meinem Server sichern?', 'db-sicherung'],
    ['German', GERMAN, 'ich muss noch ein Formular ausfüllen', 'pdf-formulare'],
    ['German', GERMAN, 'Kundenbriefe schreiben, Briefe', 'brief-schreiben'],
    ['German', GERMAN, 'Bilder', 'bild-schnitt'],
    ['Spanish', SPANISH, '¿Cómo puedo hacer copias de las bases de datos?', 'copia-seguridad'],
    ['Spanish', SPANISH, 'formularios', 'formularios-pdf'],
    ['Japanese', JAPANESE, 'データベースの復元', 'db-hozon'],
    ['Japanese', JAPANESE, '議事録を作りたい', 'gijiroku'],
    ['Japanese', JAPANESE, '会議', 'gijiroku'],
  ])('in %s finds inflected words', async (_, skills, query, wanted) => {
    const { gateway } = testLibrary(tree(skills));
    const answer = await search(gateway, query);
    expect(answer.hits[0]?.entry.name).toBe(wanted);
    expect(answer.foreign).toBeUndefined();
  });

  it('neither claims nor denies a skill for an English request, and names the language to use', async () => {
    const { gateway } = testLibrary(tree(GERMAN));
    const { fit, foreign } = await search(gateway, 'How do I back up the database of my server?');
    expect(verdictOf(fit)).toBe('perhaps');
    expect(foreign).toEqual({ language: 'en', share: 0, catalog: [{ language: 'de', share: 1 }] });
  });

  it('shows where an inflected word stands', async () => {
    const { gateway } = testLibrary(tree(GERMAN));
    const { hits } = await search(gateway, 'Welche Bilder kann ich zuschneiden lassen?');
    expect(hits[0]?.evidence[0]?.terms).toContain('Bilder');
    expect(hits[0]?.evidence[0]?.excerpt).toContain('Bild');
  });
});

describe('a skill that is loaded for a query', () => {
  it.each([
    ['Bilder', GERMAN, 'bild-schnitt'],
    ['formularios', SPANISH, 'formularios-pdf'],
    ['databases', ENGLISH, 'db-backup'],
  ])('shows where %s stands, as a search does', async (query, skills, name) => {
    const { gateway } = testLibrary(tree(skills));
    const { hits } = await search(gateway, query);
    const { startAt } = await gateway.load({ skill: name, query });
    expect(hits[0]?.entry.name).toBe(name);
    expect(hits[0]?.evidence[0]?.terms).toEqual([query]);
    expect(startAt?.[0]).toEqual(hits[0]?.evidence[0]);
  });
});

describe('a catalog with one skill in the language of the query', () => {
  const many = Object.fromEntries(
    Array.from({ length: 60 }, (_, at) => [
      `notes-${at}`,
      skill(`notes-${at}`, `Write the notes of team ${at} and send them`),
    ]),
  );
  const { 'pdf-formulare': german } = GERMAN;
  let gateway: Gateway;
  beforeEach(() => {
    ({ gateway } = testLibrary(tree({ ...many, 'pdf-formulare': german })));
  });

  it('gives the usual verdict where that skill has the words of the query', async () => {
    const answer = await search(
      gateway,
      'Bitte prüfen, ob die Felder von diesen Formularen vollständig sind',
    );
    expect(answer.hits[0]?.entry.name).toBe('pdf-formulare');
    expect(answer.foreign).toBeUndefined();
  });

  it('says that the skills are in another language where it does not', async () => {
    const answer = await search(gateway, 'Wie kann ich die Datenbanken von meinem Server sichern?');
    expect(answer).toMatchObject({ weak: false, foreign: { language: 'de' } });
    expect(verdictOf(answer.fit)).toBe('perhaps');
  });
});

describe('an English catalog', () => {
  let gateway: Gateway;
  beforeEach(() => {
    ({ gateway } = testLibrary(tree(ENGLISH)));
  });

  it.each([
    ['de', 'Wie kann ich die Datenbank auf dem Server db-backup sichern?'],
    ['es', 'Necesito una copia de las bases de datos de mail-triage para el servidor'],
    ['ja', 'PDFフォームの入力を確認したい'],
    ['zh', '帮我备份服务器的数据库'],
  ])('neither claims nor denies a skill for a query in %s', async (language, query) => {
    const { fit, confidence, foreign } = await search(gateway, query);
    expect(foreign?.language).toBe(language);
    expect(foreign?.catalog).toEqual([{ language: 'en', share: 1 }]);
    // Null where the catalog shares no word with the query.
    if (fit !== null) expect(verdictOf(fit)).toBe('perhaps');
    expect(confidence ?? 0).toBeLessThanOrEqual(0.05);
  });

  it.each([
    'back up the databases of our server',
    'db-backup',
    'pdf forms fields check complete',
    'Zürich São Paulo München Kraków',
    'schedule_messages PersistentAgentsClient',
  ])('does not take this for another language: %s', async (query) => {
    expect((await search(gateway, query)).foreign).toBeUndefined();
  });
});

describe('a mixed catalog', () => {
  let gateway: Gateway;
  beforeEach(() => {
    ({ gateway } = testLibrary(tree({ ...ENGLISH, ...GERMAN, ...JAPANESE })));
  });

  it('finds a skill by a query in its language', async () => {
    expect(await firstOf(gateway, 'Wie kann ich meine Datenbanken sichern?')).toBe('db-sicherung');
    expect(await firstOf(gateway, 'back up a database')).toBe('db-backup');
    expect(await firstOf(gateway, 'データベースを復元したい')).toBe('db-hozon');
  });

  it('finds exact names in any language', async () => {
    for (const name of ['release-notes', 'bild-schnitt', 'gijiroku', 'pdf-formulare'])
      expect(await firstOf(gateway, name)).toBe(name);
    expect(await firstOf(gateway, 'Was macht eigentlich release-notes für mich und meine Arbeit?')).toBe(
      'release-notes',
    );
  });

  it('does not mark a query in any of its languages', async () => {
    for (const query of ['Wie kann ich meine Bilder ändern?', 'how do I write the notes', '会議の録音を使う'])
      expect((await search(gateway, query)).foreign).toBeUndefined();
    const { foreign } = await search(gateway, 'Necesito una copia de las bases de datos para el servidor');
    expect(foreign?.language).toBe('es');
    expect(foreign?.catalog.map(({ language }) => language)).toEqual(['de', 'en', 'ja']);
  });
});

describe('a multilingual model', () => {
  it('answers in any language', async () => {
    const { toyEmbedder } = await import('../../index/toy.ts');
    const { gateway } = testLibrary(tree(ENGLISH), {
      embedder: { ...toyEmbedder(), multilingual: true },
    });
    const { foreign } = await search(gateway, 'Wie kann ich die Datenbank auf dem Server sichern?');
    expect(foreign).toBeUndefined();
  });
});
