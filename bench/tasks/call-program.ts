/** The program `skills.mjs` of a working folder; `call.ts` says what it does. */

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { call, callSettings } from './call.ts';

const folder = dirname(fileURLToPath(import.meta.url));
const [task, tool, json] = process.argv.slice(2);
if (task === undefined || tool === undefined || json === undefined) {
  process.stderr.write(`Usage: node skills.mjs TASK TOOL '{"…": "…"}'\n`);
  process.exitCode = 2;
} else {
  const settings = callSettings.parse(JSON.parse(readFileSync(join(folder, 'call.json'), 'utf8')));
  process.stdout.write(`${await call(settings, join(folder, 'calls.jsonl'), [task, tool, json])}\n`);
}
