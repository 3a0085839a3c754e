/** Port and token that stay the same when the page is started again, so that its links and open tabs survive. */

import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { AppError } from '../../src/app/app-error.ts';
import { messageOf, systemCodeOf } from '../../src/base/errors.ts';
import { replaceFile } from '../../src/base/files/replace.ts';
import { parseJson } from '../../src/base/json.ts';

const Address = z.strictObject({
  port: z.int().min(1).max(65_535),
  token: z.string().regex(/^[\w-]{32,100}$/),
});
export type Address = z.infer<typeof Address>;

const fileIn = (folder: string) => join(folder, 'explore-address.json');

/** Null where none is kept yet, or it is damaged. */
export function readAddress(folder: string): Address | null {
  try {
    return Address.safeParse(parseJson(readFileSync(fileIn(folder), 'utf8'))).data ?? null;
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return null;
    throw cannot('read', folder, error);
  }
}

/** Only this user can read it. */
export function keepAddress(folder: string, address: Address): void {
  try {
    mkdirSync(folder, { recursive: true });
    replaceFile(fileIn(folder), JSON.stringify(address), 0o600);
  } catch (error) {
    throw cannot('write', folder, error);
  }
}

const cannot = (verb: string, folder: string, cause: unknown) =>
  new AppError('SETTING_INVALID', `--keep cannot ${verb} ${fileIn(folder)}: ${messageOf(cause)}.`, { cause });
