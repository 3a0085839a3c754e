/** Self-signed certificates for localhost, made with openssl; null if the machine has no openssl. */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export function makeCertificate(folder: string, name: string) {
  const files = { cert: join(folder, `${name}.crt`), key: join(folder, `${name}.key`) };
  try {
    execFileSync(
      'openssl',
      [
        ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
        ...['-days', '2', '-subj', `/CN=${name}`, '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
        ...['-keyout', files.key, '-out', files.cert],
      ],
      { stdio: 'ignore' },
    );
  } catch {
    return null;
  }
  return { ...files, pem: readFileSync(files.cert, 'utf8') };
}
