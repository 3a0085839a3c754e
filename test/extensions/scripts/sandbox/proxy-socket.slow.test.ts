import { existsSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { dirname } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openProxySocket } from '../../../../extensions/scripts/sandbox/proxy-socket.ts';

let server: Server | undefined;
afterEach(() => server?.close());
const listening = (path: string) =>
  new Promise<void>((resolve, reject) => {
    server = createServer().on('error', reject).listen(path, resolve);
  });

describe('openProxySocket', () => {
  it('creates a socket that only its owner can use, and removes its name', async () => {
    const socket = await openProxySocket({ listen: listening }, null);
    expect(statSync(socket.path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(socket.path)).mode & 0o777).toBe(0o700);
    await socket.unlink();
    expect(existsSync(dirname(socket.path))).toBe(false);
  });

  it.skipIf(process.getuid?.() !== 0)('belongs to the user that runs the sandbox', async () => {
    const socket = await openProxySocket({ listen: listening }, 65_534);
    expect([socket.path, dirname(socket.path)].map((path) => statSync(path).uid)).toEqual([65_534, 65_534]);
    // That user may have no access to the folder in TMPDIR.
    expect(dirname(dirname(socket.path))).toBe('/tmp');
    await socket.unlink();
  });

  it('reports why it cannot be created, and leaves no files', async () => {
    let folder = '';
    const listen = async (path: string) => {
      folder = dirname(path);
      throw new Error('no room');
    };
    await expect(openProxySocket({ listen }, null)).rejects.toMatchObject({
      code: 'SANDBOX_FAILED',
      message: expect.stringContaining('no room'),
    });
    expect(existsSync(folder)).toBe(false);
  });
});
