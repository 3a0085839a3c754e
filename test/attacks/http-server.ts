/** Requests to a server on loopback, from any of its addresses, as a client that may read nothing or write anything. */

import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';

import { createToken } from '../../src/serve/http/auth/tokens.ts';

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
