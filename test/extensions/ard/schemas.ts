/** The published schemas of Agentic Resource Discovery, from the shared data; null where that is absent. */

import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { parse } from 'yaml';

const sharedData =
  process.env.SKILLGATE_SHARED_DATA ?? resolve(import.meta.dirname, '../../../../shared/data');
const folder = join(sharedData, 'ard');

const API = 'https://schemas.example/ard.openapi.yaml';
type Name = 'SearchResponse' | 'ListResponse' | 'Error' | 'manifest';

/** What is wrong with an answer, '' where nothing is. */
export type Faults = (name: Name, answer: unknown) => string;

export const schemasAreHere = existsSync(folder);

export function openSchemas(): Faults {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  const catalog = JSON.parse(readFileSync(join(folder, 'ai-catalog.schema.json'), 'utf8'));
  ajv.addSchema({ ...catalog, $id: new URL('ai-catalog.schema.json', API).href });
  ajv.addSchema({ ...parse(readFileSync(join(folder, 'ard.openapi.yaml'), 'utf8')), $id: API });
  const manifest = { $ref: new URL('ai-catalog.schema.json', API).href };
  const validate = (name: Name) =>
    ajv.compile(name === 'manifest' ? manifest : { $ref: `${API}#/components/schemas/${name}` });
  const names: readonly Name[] = ['SearchResponse', 'ListResponse', 'Error', 'manifest'];
  const validators = new Map(names.map((name) => [name, validate(name)]));
  return (name, answer) => {
    const check = validators.get(name)!;
    return check(answer) ? '' : ajv.errorsText(check.errors);
  };
}
