/** Requests to a server on loopback, from any of its addresses, as a client that may read nothing or write anything. */

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';

import { createToken } from '../../extensions/http/auth/tokens.ts';

/** A new token of the file. */
export const tokenOf = (file: string, name: string, expires: Date | null = null): Promise<string> =>
  createToken(file, { name, scopes: [], expires }, { now: new Date(), random: randomBytes });

export interface Sent {
  readonly from?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** Bytes of the body. */
  readonly bytes: number;
}

/** A request from one of the loopback addresses. */
export function sendFrom(
  url: string,
  { from = '127.0.0.1', method = 'POST', headers = {}, body = '' }: Sent,
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method,
        localAddress: from,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const all = Buffer.concat(chunks);
          const { statusCode = 0, headers: answered } = response;
          resolve({ status: statusCode, headers: answered, text: all.toString('utf8'), bytes: all.length });
        });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

/** A connection that sends `text` and reads nothing until asked. */
export async function silent(url: string, text = '', from = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress: from });
  socket.on('error', () => {});
  await new Promise<void>((resolve) => {
    socket.once('connect', () => resolve());
    socket.once('close', () => resolve());
  });
  if (text !== '') socket.write(text);
  return socket;
}

export interface Crowd {
  readonly count: number;
  /** How many loopback addresses they come from, in turn. */
  readonly addresses: number;
  readonly text?: string | Uint8Array;
  /** Sent once a second after that. */
  readonly drip?: string;
}

const OPENED_AT_ONCE = 50;
/** Most within a second. */
const REOPENED = 200;

/** Connections that never close their side. What the server closes is opened again, some in a second, until `end`. */
export async function crowd(url: string, { count, addresses, text = '', drip = '' }: Crowd) {
  const port = Number(new URL(url).port);
  const sockets: (Socket | undefined)[] = Array.from({ length: count });
  let opened = 0;
  const open = (at: number) => {
    const localAddress = `127.0.2.${1 + (at % addresses)}`;
    const socket = connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true });
    sockets[at] = socket;
    socket.write(text);
    return new Promise<void>((resolve) => {
      socket
        .on('error', () => {})
        .resume()
        .once('connect', () => resolve());
      socket.once('close', () => {
        sockets[at] = undefined;
        resolve();
      });
    });
  };
  const fill = async () => {
    const missing = sockets.flatMap((socket, at) => (socket === undefined ? [at] : []));
    const some = missing.slice(0, OPENED_AT_ONCE);
    opened += some.length;
    await Promise.all(some.map(open));
  };
  let over = false;
  while (opened < count) await fill();
  const dripping = (async () => {
    while (!over) {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      for (const socket of sockets) {
        // Once the server has closed both sides, a second one fails.
        const more = socket?.readableEnded === true ? '\n' : drip;
        if (more !== '') socket?.write(more);
      }
      for (let part = 0; part < REOPENED / OPENED_AT_ONCE; part++) await fill();
    }
  })();
  return {
    opened: () => opened,
    async end() {
      over = true;
      await dripping;
      for (const socket of sockets) socket?.destroy();
    },
  };
}

/** Resident memory of a process, MiB. */
export const memoryOf = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;

/** All that the server answers to these bytes, until it closes the connection. */
export async function answerTo(url: string, text: string): Promise<string> {
  const socket = await silent(url, text);
  let received = '';
  socket.setEncoding('utf8').on('data', (part) => {
    received += part;
  });
  await new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return received;
}

/** A call of an older revision, as text. */
export const rpc = (method: string, params: object, id: number | string = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });

/** The same call as the bytes of a connection. */
export const rawPost = (body: string, headers: Readonly<Record<string, string>> = {}): string => {
  const lines = Object.entries({
    host: 'localhost',
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST /mcp HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
};
