/** The server's certificate: read at start-up, and again when its files change. */

import { stat } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { messageOf } from '../../base/errors.ts';
import { readRegular } from '../../base/files/read.ts';
import { ListenError } from './listen.ts';

interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

export interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Size limit of each file, bytes: chains of certificates have a few kilobytes. */
const MAX_BYTES = 2 ** 20;
/** How often the files are checked, ms: renewals come days before a certificate expires. */
const CHECK_MS = 60_000;

/** Rejects with `ListenError` if the files cannot be read or do not match. */
export async function readCertificate({ cert, key }: TlsFiles): Promise<Certificate> {
  try {
    const read = {
      cert: Buffer.from(await readRegular(cert, MAX_BYTES)),
      key: Buffer.from(await readRegular(key, MAX_BYTES)),
    };
    createSecureContext(read);
    return read;
  } catch (cause) {
    throw new ListenError(
      'CERTIFICATE_INVALID',
      `The certificate ${cert} with the key ${key} cannot be used: ${messageOf(cause)}.`,
      { cause },
    );
  }
}

interface CertificateWatch {
  /** Checks the files now. Never rejects. */
  check(): Promise<void>;
  stop(): void;
}

/** Gives a renewed certificate to new connections. An invalid one is logged, and the old one stays in use. */
export function watchCertificate(
  server: { setSecureContext(certificate: Certificate): void },
  files: TlsFiles,
  log: (message: string) => void,
): CertificateWatch {
  let known = versionOf(files);
  const check = async () => {
    const [before, now] = await Promise.all([known, versionOf(files)]);
    if (before === now) return;
    known = Promise.resolve(now);
    try {
      server.setSecureContext(await readCertificate(files));
      log('The certificate was renewed.');
    } catch (error) {
      log(`The certificate was not renewed, the old one stays in use: ${messageOf(error)}`);
    }
  };
  const timer = setInterval(() => void check(), CHECK_MS);
  timer.unref();
  return { check, stop: () => clearInterval(timer) };
}

/** Differs if either file changed: a renewal that writes one file first is tried again after the second. */
async function versionOf({ cert, key }: TlsFiles): Promise<string> {
  const of = async (file: string) => {
    const found = await stat(file, { bigint: true }).catch(() => null);
    return found === null ? 'none' : `${found.ino} ${found.mtimeNs} ${found.size}`;
  };
  return `${await of(cert)} ${await of(key)}`;
}
