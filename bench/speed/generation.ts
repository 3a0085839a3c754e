/** How often an index has been written. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';

const current = z.object({ name: z.string() });

/** The number in the name of the manifest in force. */
export async function generationOf(index: string): Promise<number> {
  const { name } = current.parse(JSON.parse(await readFile(join(index, 'CURRENT'), 'utf8')));
  return Number(/\d+/.exec(name)?.[0] ?? 0);
}
