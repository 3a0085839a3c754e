/** Writes a ZIP archive (PKWARE APPNOTE 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16) without ZIP64: up to 4 GiB. */

import { crc32, deflateRawSync } from 'node:zlib';

/** Day 1 of ZIP's calendar, so that the same files give the same bytes. */
const DATE = (1 << 5) | 1;
const UTF8_NAMES = 0x0800;
const DEFLATED = 8;
/** The upper half of this field is the Unix mode: a plain file, or one that can be run. */
const modeOf = (isExecutable) => ((0o100000 | (isExecutable ? 0o755 : 0o644)) << 16) >>> 0;

/** @param {readonly { path: string, bytes: Buffer, isExecutable: boolean }[]} files */
export function zip(files) {
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const { path, bytes, isExecutable } of files) {
    const name = Buffer.from(path);
    const data = deflateRawSync(bytes, { level: 9 });
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(UTF8_NAMES, 2);
    shared.writeUInt16LE(DEFLATED, 4);
    shared.writeUInt16LE(DATE, 8);
    shared.writeUInt32LE(crc32(bytes), 10);
    shared.writeUInt32LE(data.length, 14);
    shared.writeUInt32LE(bytes.length, 18);
    shared.writeUInt16LE(name.length, 22);
    const local = [Buffer.from('PK\x03\x04'), shared, name, data];
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(modeOf(isExecutable), 6);
    rest.writeUInt32LE(offset, 10);
    // Version 2.0, made on Unix.
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x03'), shared, rest, name]));
    parts.push(...local);
    offset += local.reduce((length, part) => length + part.length, 0);
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(entries.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, entries, end]);
}
