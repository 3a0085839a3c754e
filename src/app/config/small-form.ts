/** `.skillgate.json`: the small form of the configuration, with folders, index and model only. */

import * as z from 'zod';
import { ConfigError } from './errors.ts';
import { refusalsOf } from './problems.ts';
import { configSchema } from './schema.ts';
import { readConfigText } from './text.ts';

const index = configSchema.shape.index.def.innerType.shape;
const smallSchema = z.strictObject({
  skills: z.array(z.string()).default([]),
  index: index.folder,
  embedder: index.embedder,
  vectors: index.vectors,
});

interface SmallForm {
  readonly skills: readonly string[];
  readonly index: {
    readonly folder?: string;
    readonly embedder?: string;
    readonly vectors?: 'auto' | 'exact' | 'hnsw';
  };
}

/** Throws `ConfigError`. */
export function readSmallForm(text: string, file: string): SmallForm {
  const { value, valueAt, keyAt } = readConfigText(text, file);
  const parsed = smallSchema.safeParse(value);
  if (!parsed.success) {
    const schema = z.toJSONSchema(smallSchema, { io: 'input' });
    const refusals = refusalsOf(parsed.error.issues, value, JSON.parse(JSON.stringify(schema)));
    throw new ConfigError(
      refusals.map(({ path, isKey, message }) => ({ ...(isKey ? keyAt(path) : valueAt(path)), message })),
    );
  }
  const { skills, index: folder, embedder, vectors } = parsed.data;
  return {
    skills,
    index: {
      ...(folder ? { folder } : {}),
      ...(embedder ? { embedder } : {}),
      ...(vectors === undefined ? {} : { vectors }),
    },
  };
}
