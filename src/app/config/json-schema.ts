/** The JSON Schema of the configuration: for editors, and for looking up names of settings. */

import * as z from 'zod';
import { configSchema } from './schema.ts';
import type { ConfigPath } from './text.ts';

/** The keywords of JSON Schema that the schema of the configuration uses. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
  readonly type?: string;
  readonly description?: string;
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
}

let made: JsonSchema | undefined;

/** The same object each time: making it takes milliseconds, and every message about a setting needs it. */
export function configJsonSchema(): JsonSchema {
  made ??= { ...z.toJSONSchema(configSchema, { io: 'input' }), title: 'skillgate.config.json' } as JsonSchema;
  return made;
}

/** The subschema at a path of `value`; null where there is none. Selects alternatives by the `kind` of the value. */
export function schemaAt(root: JsonSchema, path: ConfigPath, value: unknown): JsonSchema | null {
  let schema: JsonSchema | undefined = chosen(root, value);
  let part: unknown = value;
  for (const step of path) {
    part = typeof part === 'object' && part !== null ? Reflect.get(part, step) : undefined;
    const next: JsonSchema | undefined =
      typeof step === 'number' ? schema?.items : schema?.properties?.[String(step)];
    if (next === undefined) return null;
    schema = chosen(next, part);
  }
  return schema ?? null;
}

function chosen(schema: JsonSchema, value: unknown): JsonSchema {
  const kind = typeof value === 'object' && value !== null ? Reflect.get(value, 'kind') : undefined;
  return schema.oneOf?.find((option) => option.properties?.kind?.const === kind) ?? schema;
}
