/** Connections with TLS and client certificates to a real server, whose certificates the test makes. */

import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../../extensions/postgres/database/connect.ts';
import { needsThat } from '../../needs.ts';
import { type PostgresServer, postgresServer, serverPrograms } from '../../postgres.ts';

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
const isOwnerChecked = process.platform !== 'win32';

describe(
  'a server with TLS',
  needsThat(serverPrograms() !== null && hasOpenssl, 'PostgreSQL and openssl'),
  () => {
    let server: PostgresServer;
    const path = (name: string) => join(server.folder, name);
    const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'ignore' });
    const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];

    function authority(name: string): void {
      openssl(
        'req',
        '-x509',
        ...NEW_KEY,
        '-subj',
        `/CN=${name}`,
        '-keyout',
        path(`${name}.key`),
        '-out',
        path(`${name}.pem`),
      );
    }

    function certificate(name: string, by: string, commonName: string, alternatives: string): void {
      const request = path(`${name}.csr`);
      openssl(
        'req',
        ...NEW_KEY.slice(0, -2),
        '-subj',
        `/CN=${commonName}`,
        '-keyout',
        path(`${name}.key`),
        '-out',
        request,
      );
      const extensions = path(`${name}.ext`);
      writeFileSync(extensions, `subjectAltName=${alternatives}`);
      const signed = ['-CA', path(`${by}.pem`), '-CAkey', path(`${by}.key`), '-CAcreateserial', '-days', '2'];
      openssl('x509', '-req', '-in', request, ...signed, '-extfile', extensions, '-out', path(`${name}.pem`));
      chmodSync(path(`${name}.key`), 0o600);
    }

    beforeAll(async () => {
      server = await postgresServer();
      await server.query('create role gateway login');
      for (const name of ['ca', 'other-ca']) authority(name);
      certificate('server', 'ca', 'database', 'DNS:localhost,IP:127.0.0.1');
      certificate('elsewhere', 'ca', 'database', 'DNS:db.example');
      certificate('client', 'ca', 'gateway', 'DNS:gateway');
      certificate('foreign', 'other-ca', 'gateway', 'DNS:gateway');
      for (const name of ['server', 'elsewhere'])
        chownSync(path(`${name}.key`), server.owner.uid, server.owner.gid);
      const rules = path('data/pg_hba.conf');
      const before = readFileSync(rules, 'utf8');
      writeFileSync(rules, `hostssl all gateway 127.0.0.1/32 cert\nhost all gateway all reject\n${before}`);
      await serveWith('server');
    });
    afterAll(() => server.remove());

    async function serveWith(name: string): Promise<void> {
      await server.stop();
      const files = [`ssl_cert_file=${path(`${name}.pem`)}`, `ssl_key_file=${path(`${name}.key`)}`];
      await server.start(['ssl=on', ...files, `ssl_ca_file=${path('ca.pem')}`]);
    }

    /** Whether the connection is encrypted, and as whom; or the error. */
    async function connected(files: Record<string, string> = {}): Promise<unknown> {
      const url = `${server.url.replace('postgres@', 'gateway@')}?${new URLSearchParams(files)}`;
      try {
        const database = connect({ url, connections: 1, timeoutMs: 20_000 });
        try {
          const [row] = await database.query(
            'select ssl, client_dn, current_user::text as role from pg_stat_ssl where pid = pg_backend_pid()',
          );
          return row;
        } finally {
          await database.close();
        }
      } catch (error) {
        return error;
      }
    }

    const own = (name = 'client') => ({
      sslrootcert: path('ca.pem'),
      sslcert: path(`${name}.pem`),
      sslkey: path(`${name}.key`),
    });

    it('takes a client certificate, whatever the mode of the address', async () => {
      const encrypted = { ssl: true, client_dn: '/CN=gateway', role: 'gateway' };
      expect(await connected(own())).toEqual(encrypted);
      expect(await connected({ ...own(), sslmode: 'disable' })).toEqual(encrypted);
    });

    it('is refused where its authority is another one, or its name another host', async () => {
      const refused = { code: 'STORE_REFUSED', message: expect.stringContaining('is not trusted') };
      expect(await connected({ ...own(), sslrootcert: path('other-ca.pem') })).toMatchObject(refused);
      // The authorities of this machine do not know it.
      expect(await connected({ sslcert: own().sslcert, sslkey: own().sslkey })).toMatchObject(refused);
      await serveWith('elsewhere');
      expect(await connected(own())).toMatchObject(refused);
      await serveWith('server');
    });

    it('refuses a gateway without a certificate, or with one of another authority', async () => {
      expect(await connected({ sslrootcert: path('ca.pem') })).toMatchObject({ code: 'STORE_REFUSED' });
      expect(await connected()).toMatchObject({ code: 'STORE_REFUSED' });
      expect(await connected(own('foreign'))).toBeInstanceOf(Error);
    });

    it('a key that others may read is not used', needsThat(isOwnerChecked, 'owners of files'), async () => {
      const open = path('open.key');
      cpSync(own().sslkey, open);
      for (const mode of [0o604, 0o644, 0o660]) {
        chmodSync(open, mode);
        expect(await connected({ ...own(), sslkey: open })).toMatchObject({
          code: 'STORE_REFUSED',
          message: expect.stringContaining(`chmod 600 ${open}`),
        });
      }
      chmodSync(open, 0o400);
      expect(await connected({ ...own(), sslkey: open })).toMatchObject({ role: 'gateway' });
    });
  },
);
