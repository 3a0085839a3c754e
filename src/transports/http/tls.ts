/** The server's own certificate: read at the start, and again when it is renewed. */

import { readFile, stat } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { ListenError } from '../listening.ts';

export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

export interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** How often the files are looked at, ms: renewals come days before the end. */
const LOOK_MS = 60_000;

/** Rejects with `ListenError` where they cannot be read, or do not belong together. */
export async function readCertificate({ cert, key }: TlsFiles): Promise<Certificate> {
  try {
    const read = { cert: await readFile(cert), key: await readFile(key) };
    createSecureContext(read);
    return read;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ListenError(
      'CERTIFICATE_INVALID',
      `The certificate ${cert} with the key ${key} cannot be used: ${reason}.`,
      cause,
    );
  }
}

export interface Renewal {
  /** Looks now. Never rejects. */
  look(): Promise<void>;
  stop(): void;
}

/** New connections get the renewed certificate; one that cannot be used is said, and the old one stays. */
export function renewing(
  server: { setSecureContext(certificate: Certificate): void },
  files: TlsFiles,
  log: (message: string) => void,
): Renewal {
  let known = versionOf(files);
  const look = async () => {
    const [before, now] = await Promise.all([known, versionOf(files)]);
    if (before === now) return;
    known = Promise.resolve(now);
    try {
      server.setSecureContext(await readCertificate(files));
      log('The certificate was renewed.');
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log(`The certificate was not renewed, the earlier one stays: ${reason}`);
    }
  };
  const timer = setInterval(() => void look(), LOOK_MS);
  timer.unref();
  return { look, stop: () => clearInterval(timer) };
}

/** Half a renewal is one too: it is looked at again when the other file follows. */
async function versionOf({ cert, key }: TlsFiles): Promise<string> {
  const of = async (file: string) => {
    const found = await stat(file, { bigint: true }).catch(() => null);
    return found === null ? 'none' : `${found.ino} ${found.mtimeNs} ${found.size}`;
  };
  return `${await of(cert)} ${await of(key)}`;
}
