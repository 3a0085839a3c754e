import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { eld } from 'eld/small';
import { build } from 'esbuild';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LATIN_LANGUAGES, languageOf } from '../../../../index/lexical/language/detect.ts';

/** 150 requests; their style is the language. */
const LANGUAGES = join(import.meta.dirname, '../../../../bench/datasets/languages/queries.jsonl');
const jsonLines = (file: string): { text: string; style: string }[] =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('languageOf', () => {
  it.each([
    ['de', 'Wie kann ich die Datenbank sichern und auf einem anderen Server wiederherstellen?'],
    ['es', 'Necesito desplegar la aplicación en el servidor sin cortar las conexiones de los usuarios'],
    ['fr', "Je voudrais écrire des tests pour notre application, mais l'équipe n'a pas le temps"],
    ['pt', 'Preciso migrar o banco de dados de produção sem parar o serviço para os usuários'],
    ['it', 'Come posso migliorare la velocità della mia applicazione quando ci sono molti utenti?'],
    ['nl', 'Hoe kan ik een reservekopie van de database maken voordat wij de nieuwe versie installeren?'],
    ['sv', 'Jag behöver säkerhetskopiera databasen innan vi uppgraderar servern på måndag'],
    ['pl', 'Chcę napisać testy jednostkowe dla naszej aplikacji, żeby wszystko działało'],
    ['tr', 'Veritabanını yedeklemek ve başka bir sunucuya geri yüklemek istiyorum'],
    ['vi', 'Làm thế nào để sao lưu cơ sở dữ liệu trước khi nâng cấp máy chủ'],
    ['cs', 'Potřebuji zálohovat databázi předtím, než přejdeme na nový server'],
    ['zh', '帮我把数据库迁移到新的服务器'],
    ['ja', 'データベースをバックアップしたい'],
    ['ja', '週末をつぶして通話の文字起こしをJiraチケットにするClaude Codeのアドオン'],
    ['ko', '데이터베이스를 백업하고 싶습니다'],
    ['ru', 'Как сделать резервную копию базы данных'],
    ['uk', 'Як зробити резервну копію бази даних'],
    ['bg', 'Как да направя резервно копие на базата данни и да я преместя на друг сървър'],
    ['ar', 'كيف أنشئ نسخة احتياطية من قاعدة البيانات'],
    ['fa', 'چگونه از پایگاه داده پشتیبان بگیرم'],
    ['el', 'Πώς φτιάχνω αντίγραφο ασφαλείας της βάσης'],
    ['th', 'สำรองฐานข้อมูลก่อนอัปเกรด'],
    ['hi', 'डेटाबेस का बैकअप कैसे लें'],
    ['en', 'How do I back up the database before we upgrade the server?'],
    ['en', 'Explain to me why naïve résumé parsing fails'],
  ])('finds %s in: %s', async (language, text) => {
    expect(await languageOf(text)).toBe(language);
  });

  it.each([
    '',
    'docker compose',
    'Datenbank',
    'firecrawl firecrawl download add cuda kernel',
    'mamba llama factory nemo curator',
    'iac checkov sast bandit skill name',
    'shirushi jutsu creator using argc argcfile',
    'getUserById fetch_all_rows src/index.ts --no-cache https://example.org/de/über',
    'PostgreSQL MongoDB Redis Kafka Elasticsearch Kubernetes Terraform Ansible',
    'Malmö København Zürich São Paulo',
    'ORA-00942 TypeError 0x8007',
    '検索',
    '🙂🙂🙂🙂🙂',
  ])('does not judge: %s', async (text) => {
    expect(await languageOf(text)).toBeNull();
  });

  it('sees an English request in spite of names, words and lines of another language', async () => {
    expect(await languageOf('Translate the sentence "Ich habe keine Zeit" for our customers')).toBe('en');
    expect(await languageOf('Why does the label 検索 not show up in the form?')).toBe('en');
  });

  it('is right for whole requests in six languages', async () => {
    for (const { text, style } of jsonLines(LANGUAGES))
      expect([text, await languageOf(text)]).toEqual([text, style]);
  });

  it('is seldom in doubt about requests of a few words in 13 languages, and hardly ever wrong', async () => {
    const lines = readFileSync(join(import.meta.dirname, 'short-requests.tsv'), 'utf8')
      .trim()
      .split('\n');
    const requests = lines.map((line) => line.split('\t') as [string, string]);
    const found = await Promise.all(
      requests.map(async ([language, text]) => ({ language, text, said: await languageOf(text) })),
    );
    const wrong = found.filter(({ language, said }) => said !== null && said !== language);
    const unknown = found.filter(({ language, said }) => said === null && language !== 'en');
    expect(requests.length).toBeGreaterThan(180);
    expect(wrong.map(({ text }) => text)).toEqual(['code nakijken in Python', 'Excel tablosunu analiz et']);
    expect(unknown.length / requests.length).toBeLessThan(0.1);
  });

  it('never throws, and gives a code of two letters or null', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.string({ unit: 'binary' }), fc.lorem({ maxCount: 20 }), fc.string({ unit: 'grapheme' })),
        async (text) => {
          expect((await languageOf(text)) ?? 'xx').toMatch(/^[a-z]{2}$/);
        },
      ),
    );
  });
});

it('the build reduces the table of eld to these languages, with the same scores', async () => {
  const root = resolve(import.meta.dirname, '../../../..');
  const { withLatinLanguages } = await import(join(root, 'build-defaults.js'));
  const { outputFiles } = await build({
    stdin: { contents: `export { eld } from 'eld/small';`, resolveDir: root },
    bundle: true,
    write: false,
    format: 'esm',
    plugins: [withLatinLanguages],
  });
  const code = Buffer.from(outputFiles[0]!.contents);
  const reduced = await import(`data:text/javascript;base64,${code.toString('base64')}`);
  for (const table of [eld, reduced.eld]) table.setLanguageSubset(LATIN_LANGUAGES);
  expect(Object.keys(reduced.eld.info().Languages)).toHaveLength(LATIN_LANGUAGES.length);
  for (const { text } of jsonLines(LANGUAGES))
    expect(reduced.eld.detect(text).getScores()).toEqual(eld.detect(text).getScores());
});
