/**
 * Large contents of an answer. The SDK encodes an answer as JSON in one piece, which for 15 MiB blocks the process for a fifth of a
 * second. So a handler answers with a short mark in the place of large contents, and the transport that sends the answer
 * fills them in, piece by piece, with other work in between. A transport that fills in nothing gets the contents at once.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { base64Of, exactText } from './text.ts';

/** Contents of this size, bytes, are filled in; smaller ones take a millisecond or two. */
const LARGE_BYTES = 2 ** 18;
/** Bytes encoded at a time: two to three milliseconds. A multiple of 3, so that pieces of Base64 join. */
const PIECE_BYTES = 3 * 2 ** 16;

type Contents = { readonly text: string } | { readonly blob: string };

interface Large {
  readonly bytes: Uint8Array;
  readonly isText: boolean;
}

const current = new AsyncLocalStorage<LargeContents>();

let last: Promise<void> = Promise.resolve();

/** The large contents of one answer. */
export class LargeContents {
  /** By mark. */
  readonly #all = new Map<string, Large>();
  /** Resolves when it is this answer's turn; null as long as it has not asked for it. */
  #turn: Promise<void> | null = null;
  #release = () => {};
  #isReleased = false;

  /** Runs what makes the answer. */
  during<Result>(make: () => Result): Result {
    return current.run(this, make);
  }

  /** See `turnOf`. */
  turn(): Promise<void> {
    // Work that goes on after its answer has ended would never give the turn back.
    if (this.#isReleased) return Promise.resolve();
    if (this.#turn === null) {
      const released = new Promise<void>((resolve) => {
        this.#release = resolve;
      });
      const turn = last;
      last = turn.then(() => released);
      this.#turn = turn;
    }
    return this.#turn;
  }

  /** Lets the next answer begin: when the contents are about to be sent, and when the answer has ended in any way. */
  release(): void {
    this.#isReleased = true;
    this.#release();
  }

  keep(large: Large): string {
    // Nobody can guess it, so no text has it by intention. The SDK checks blobs: it is Base64 as well.
    const mark = `contents${randomUUID().replaceAll('-', '')}`;
    this.#all.set(mark, large);
    return mark;
  }

  of(mark: string): Large | undefined {
    return this.#all.get(mark);
  }

  /** Encoded JSON with the contents in the place of their marks, in pieces. Each mark must be in one chunk as a whole. */
  async filled(chunk: Uint8Array): Promise<Uint8Array[]> {
    const rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const found = [...this.#all]
      .map(([mark, large]) => ({ mark, large, at: rest.indexOf(mark, 0, 'latin1') }))
      .filter(({ at }) => at >= 0)
      .sort((a, b) => a.at - b.at);
    const pieces: Uint8Array[] = [];
    let from = 0;
    for (const { mark, large, at } of found) {
      this.#all.delete(mark);
      pieces.push(rest.subarray(from, at));
      for (let done = 0; done < large.bytes.length; done += PIECE_BYTES) {
        pieces.push(encoded(large, done));
        await setImmediate();
      }
      from = at + mark.length;
    }
    return [...pieces, rest.subarray(from)];
  }
}

function encoded({ bytes, isText }: Large, from: number): Buffer {
  const piece = Buffer.from(
    bytes.buffer,
    bytes.byteOffset + from,
    Math.min(PIECE_BYTES, bytes.length - from),
  );
  if (!isText) return Buffer.from(piece.toString('base64'), 'latin1');
  // Bytes of characters that JSON does not escape stay as they are, so a piece may begin and end within a character.
  return Buffer.from(JSON.stringify(piece.toString('latin1')).slice(1, -1), 'latin1');
}

/**
 * Before contents of so many bytes are read: waits until no other answer with large contents is being made. However many callers ask
 * for them, few are in memory, and one piece at a time is encoded.
 */
export async function turnOf(bytes: number): Promise<void> {
  if (bytes >= LARGE_BYTES) await current.getStore()?.turn();
}

/** Bytes as the contents of a resource: UTF-8 as text, anything else as Base64. */
export function contentsOf(bytes: Uint8Array): Contents {
  const large = current.getStore();
  if (large === undefined || bytes.length < LARGE_BYTES) {
    const text = exactText(bytes);
    return text === undefined ? { blob: base64Of(bytes) } : { text };
  }
  const isText = isUtf8(bytes);
  const mark = large.keep({ bytes, isText });
  return isText ? { text: mark } : { blob: mark };
}

/** The first characters of a text of an answer, also where it is only marked. */
export function beginningOf(text: string, characters: number): string {
  const large = current.getStore()?.of(text);
  if (large === undefined) return text.slice(0, characters);
  // A character has at most three bytes for each UTF-16 unit.
  return new TextDecoder('utf-8', { ignoreBOM: true })
    .decode(large.bytes.subarray(0, 3 * characters))
    .slice(0, characters);
}
