/** The server's certificate, and its renewal while connections are open. */

import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { Connections } from '../../../../src/serve/http/connections.ts';
import { webServer } from '../../../../src/serve/http/server.ts';
import { readCertificate, watchCertificate } from '../../../../src/serve/http/tls.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { makeCertificate } from './certificate.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Common name of the certificate that a new connection gets. */
const nameAt = (port: number) =>
  new Promise<string>((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    });
    socket.on('error', reject);
  });

const OPEN = {
  connections: new Connections({ max: 10, isTrusted: () => false, onReject: () => {} }),
  onInvalid: () => {},
};

describe('a certificate', () => {
  it('is renewed for new connections when its files change, and stays if they are invalid', async ({
    skip,
  }) => {
    const [one, two] = [makeCertificate(folder, 'one'), makeCertificate(folder, 'two')];
    if (one === null || two === null) return skip();
    const files = { cert: join(folder, 'live.crt'), key: join(folder, 'live.key') };
    const install = (from: { cert: string; key: string }) => {
      copyFileSync(from.cert, files.cert);
      copyFileSync(from.key, files.key);
    };
    install(one);
    const { server, setSecureContext } = webServer(
      { certificate: await readCertificate(files), ...OPEN, onReject: () => {} },
      (_, response) => response.end(),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const logged: string[] = [];
    if (setSecureContext === null) throw new Error('It should serve HTTPS.');
    const watch = watchCertificate({ setSecureContext }, files, (message) => logged.push(message));
    onTestFinished(watch.stop);
    expect(await nameAt(port)).toBe('one');
    await watch.check();
    expect(logged).toEqual([]);
    install(two);
    await watch.check();
    expect(await nameAt(port)).toBe('two');
    // Half a renewal: the key belongs to another certificate.
    copyFileSync(one.key, files.key);
    await watch.check();
    expect(await nameAt(port)).toBe('two');
    expect(logged).toEqual([
      'The certificate was renewed.',
      expect.stringContaining('the old one stays in use'),
    ]);
    install(one);
    await watch.check();
    expect(await nameAt(port)).toBe('one');
  });

  it('that cannot be read, or is invalid, is refused with its file names', async () => {
    const files = { cert: join(folder, 'none.crt'), key: join(folder, 'none.key') };
    await expect(readCertificate(files)).rejects.toMatchObject({ code: 'CERTIFICATE_INVALID' });
    writeFileSync(files.cert, 'no certificate');
    writeFileSync(files.key, 'no key');
    await expect(readCertificate(files)).rejects.toThrow(files.cert);
  });
});
