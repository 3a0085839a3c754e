import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { readCalls } from '../../../extensions/usage/calls.ts';
import { observed } from '../../../src/gateway/intercept.ts';
import { openAudit } from '../../../src/serve/telemetry/audit.ts';
import { skill, testLibrary } from '../../src/gateway/test-library.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder, 'audit.jsonl');
});

describe('readCalls', () => {
  it('reads back what the audit log wrote of searches and loads', async () => {
    const audit = openAudit({
      path: file,
      redact: [],
      log: () => {},
      onLost: () => {},
      now: () => new Date('2026-11-23T10:00:00Z'),
    });
    const { gateway } = testLibrary({ 'pdf/SKILL.md': skill('pdf', 'Merge pdf files') });
    const principal = { id: 'ann', scopes: [] };
    const own = observed(gateway, { principal, observe: audit.observe, now: () => 0 });
    const { fit } = await own.search({ query: 'merge pdf files', limit: 5 });
    await own.load({ skill: 'pdf' });
    await own.load({ skill: 'none' }).catch(() => {});
    await audit.close();
    const time = '2026-11-23T10:00:00.000Z';
    expect(readCalls(file)).toEqual([
      {
        time,
        who: 'ann',
        call: 'search',
        outcome: 'ok',
        query: 'merge pdf files',
        hits: ['pdf'],
        fit: Math.round(100 * fit!) / 100,
        weak: false,
      },
      { time, who: 'ann', call: 'load', outcome: 'ok', skill: 'pdf' },
      { time, who: 'ann', call: 'load', outcome: 'SKILL_UNKNOWN' },
    ]);
  });

  it('leaves out other events, broken lines and fields of other types', () => {
    writeFileSync(
      file,
      '{"event":"start","version":"1"}\nno json\n{"event":"call","who":7}\n{"event":"call"',
    );
    expect(readCalls(file)).toEqual([]);
    appendFileSync(
      file,
      '\n{"event":"call","time":"t","who":"a","call":"search","outcome":"ok","arguments":{"query":"q"},"hits":["x",null]}\n',
    );
    expect(readCalls(file)).toEqual([
      { time: 't', who: 'a', call: 'search', outcome: 'ok', query: 'q', hits: ['x'] },
    ]);
  });

  it('names the log that does not exist', () => {
    expect(() => readCalls(join(folder, 'none.jsonl'))).toThrow(
      expect.objectContaining({ code: 'FILE_MISSING' }),
    );
  });
});
