/** Listens on a port, with a clear error if that fails. Only loopback addresses are served without authentication. */

import { BlockList, isIP, type Server } from 'node:net';
import { AppError } from '../../src/app/app-error.ts';
import { systemCode } from '../../src/base/errors.ts';

/** Resolves with the actual port. Rejects with `AppError`; without authentication, for every host but loopback. */
export async function listen(
  server: Server,
  host: string,
  port: number,
  authenticates: boolean,
): Promise<number> {
  if (!isLoopback(host) && !authenticates)
    throw new AppError(
      'HOST_PUBLIC',
      `Other machines can reach ${host}, so serving there needs authentication, which is not configured (auth.tokens or auth.oauth). Configure it, or use 127.0.0.1 with a tunnel or a proxy.`,
    );
  if (!(Number.isInteger(port) && port >= 0 && port <= 65_535))
    throw new AppError('PORT_INVALID', `${port} is not a port: it must be a whole number from 0 to 65535.`);
  await new Promise<void>((resolve, reject) => {
    const failed = (error: Error) => reject(listenError(error, host, port));
    server.once('error', failed);
    server.listen({ host, port }, () => {
      server.off('error', failed);
      resolve();
    });
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

function listenError(error: Error, host: string, port: number): Error {
  switch (systemCode(error)) {
    case 'EADDRINUSE':
      return new AppError(
        'PORT_TAKEN',
        `Port ${port} of ${host} is in use. Choose another with --port, or 0 for any free port.`,
        { cause: error },
      );
    case 'EACCES':
      return new AppError('PORT_REFUSED', `This process is not permitted to listen on port ${port}.`, {
        cause: error,
      });
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new AppError('HOST_UNKNOWN', `This machine has no address ${host}.`, { cause: error });
    default:
      return error;
  }
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** True for `localhost`, 127.0.0.0/8 and ::1; any other name may resolve to anything. */
export function isLoopback(host: string): boolean {
  const family = isIP(host);
  if (family === 0) return host.toLowerCase() === 'localhost';
  return loopback.check(host, family === 4 ? 'ipv4' : 'ipv6');
}

/** The host in the form of URLs and `Host` headers: IPv6 in brackets. */
export const inUrl = (host: string): string => (isIP(host) === 6 ? `[${host}]` : host);
