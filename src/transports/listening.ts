/** Taking a port, and saying in words why it cannot be had. */

import type { Server } from 'node:net';
import { isLoopback } from './loopback.ts';

/**
 * - `HOST_PUBLIC`: others than this machine could reach it.
 * - `HOST_UNKNOWN`: this machine has no such address.
 * - `PORT_INVALID`: no port from 0 to 65535.
 * - `PORT_TAKEN`: another process listens there.
 * - `PORT_REFUSED`: the system does not allow it; low ports need a privilege.
 * - `CERTIFICATE_INVALID`: the certificate or its key cannot be read, or they do not belong together.
 */
export type ListenErrorCode =
  | 'HOST_PUBLIC'
  | 'HOST_UNKNOWN'
  | 'PORT_INVALID'
  | 'PORT_TAKEN'
  | 'PORT_REFUSED'
  | 'CERTIFICATE_INVALID';

export class ListenError extends Error {
  override readonly name = 'ListenError';
  readonly code: ListenErrorCode;

  constructor(code: ListenErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

/** The port that was taken. Rejects with `ListenError`; without authentication, for all but the loopback. */
export async function listening(
  server: Server,
  host: string,
  port: number,
  authenticates: boolean,
): Promise<number> {
  if (!isLoopback(host) && !authenticates)
    throw new ListenError(
      'HOST_PUBLIC',
      `${host} can be reached by others, who would need no password: serving there takes authentication, which is not set up (auth.tokens or auth.oauth in the configuration). Use 127.0.0.1, and a tunnel or a proxy for others.`,
    );
  if (!(Number.isInteger(port) && port >= 0 && port <= 65_535))
    throw new ListenError('PORT_INVALID', `${port} is no port: it must be a whole number from 0 to 65535.`);
  await new Promise<void>((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) => reject(listenError(error, host, port));
    server.once('error', failed);
    server.listen({ host, port }, () => {
      server.off('error', failed);
      resolve();
    });
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new ListenError(
        'PORT_TAKEN',
        `Port ${port} of ${host} is in use. Choose another with --port, or 0 for any that is free.`,
        error,
      );
    case 'EACCES':
      return new ListenError(
        'PORT_REFUSED',
        `The system does not allow this process to listen on port ${port}.`,
        error,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new ListenError('HOST_UNKNOWN', `This machine has no address ${host}.`, error);
    default:
      return error;
  }
}
