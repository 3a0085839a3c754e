/** Archives for tests, written byte by byte: existing tools refuse to make most of them. */

import { crc32, deflateRawSync, gzipSync } from 'node:zlib';

/** An entry of the archive; a test may make it lie. */
export interface Packed {
  readonly path: string;
  readonly bytes?: string | Uint8Array;
  /** Unix mode with its file type. Default: a plain file, 0644. */
  readonly mode?: number;
  /** Tar's type flag. Default `0`, a plain file. */
  readonly flag?: string;
  readonly target?: string;
  /** The unpacked size in a zip's directory. */
  readonly claimedSize?: number;
  /** General purpose flags of a zip entry: 1 is encrypted. */
  readonly flags?: number;
  readonly checksum?: number;
  readonly stored?: boolean;
}

export const packedFiles = (files: Readonly<Record<string, string | Uint8Array>>): Packed[] =>
  Object.entries(files).map(([path, bytes]) => ({ path, bytes }));

const BLOCK = 512;

export function tar(entries: readonly Packed[], { end = true } = {}): Buffer {
  const blocks = entries.flatMap(({ path, bytes = '', mode = 0o644, flag = '0', target = '' }) => {
    const data = Buffer.from(bytes);
    const header = Buffer.alloc(BLOCK);
    header.write(path, 0, 100, 'utf8');
    header.write(`${octal(mode & 0o7777, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0`, 100, 'latin1');
    header.write(`${octal(data.length, 11)}\0${octal(1_700_000_000, 11)}\0`, 124, 'latin1');
    header.write(`        ${flag}`, 148, 'latin1');
    header.write(target, 157, 100, 'utf8');
    header.write('ustar\u000000', 257, 'latin1');
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${octal(sum, 6)}\0 `, 148, 'latin1');
    const padding = Buffer.alloc((BLOCK - (data.length % BLOCK)) % BLOCK);
    return [header, data, padding];
  });
  return Buffer.concat(end ? [...blocks, Buffer.alloc(2 * BLOCK)] : blocks);
}

export const tarGz = (entries: readonly Packed[]) => gzipSync(tar(entries));

/** With `overlapping`, all entries refer to the bytes of the first, and only those are written. */
export function zip(entries: readonly Packed[], { overlapping = false } = {}): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const {
    path,
    bytes = '',
    mode = 0o100644,
    claimedSize,
    flags = 0,
    checksum,
    stored = false,
  } of entries) {
    const data = Buffer.from(bytes);
    const packed = stored ? data : deflateRawSync(data);
    const name = Buffer.from(path);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x800 | flags, 2);
    common.writeUInt16LE(stored ? 0 : 8, 4);
    common.writeUInt32LE(checksum ?? crc32(data), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(claimedSize ?? data.length, 18);
    common.writeUInt16LE(name.length, 22);
    if (overlapping && locals.length > 0) offset = 0;
    else locals.push(Buffer.from('PK\x03\x04', 'latin1'), common, name, packed);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE((mode << 16) >>> 0, 6);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x03', 'latin1'), common, rest, name);
    offset += 30 + name.length + packed.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(Buffer.concat(locals).length, 16);
  return Buffer.concat([...locals, list, end]);
}

const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0');
