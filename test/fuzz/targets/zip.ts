/** Bytes as a zip archive. */

import { unpacked } from '../archive.ts';

const MAGIC = Buffer.from('PK\x03\x04', 'latin1');

export const fuzz = (data: Buffer): Promise<void> =>
  unpacked(Buffer.concat([MAGIC, data.subarray(MAGIC.length)]));
