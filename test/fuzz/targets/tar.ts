/** Bytes as a tar archive, with the checksums of its headers made right: a mutation would seldom hit them. */

import { unpacked } from '../archive.ts';

const BLOCK = 512;
const SIZE = { at: 124, length: 12 };
const CHECKSUM = { at: 148, length: 8 };
const MAGIC_AT = 257;

export const fuzz = (data: Buffer): Promise<void> => unpacked(asTar(data));

function asTar(data: Buffer): Buffer {
  const tar = Buffer.concat([data, Buffer.alloc(2 * BLOCK + ((BLOCK - (data.length % BLOCK)) % BLOCK))]);
  for (let at = 0; at + BLOCK <= data.length; ) {
    const header = tar.subarray(at, at + BLOCK);
    header.write('ustar', MAGIC_AT, 'latin1');
    header.fill(' ', CHECKSUM.at, CHECKSUM.at + CHECKSUM.length);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, CHECKSUM.at, 'latin1');
    const size = Number.parseInt(header.toString('latin1', SIZE.at, SIZE.at + SIZE.length), 8);
    at += BLOCK + (size > 0 ? Math.ceil(size / BLOCK) * BLOCK : 0);
  }
  return tar;
}
