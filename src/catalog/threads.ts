/**
 * Worker threads that open the index themselves: one protocol for all. A thread performs one request at a time, reports
 * events meanwhile, and answers with the result or the error.
 */

import { parentPort, Worker } from 'node:worker_threads';
import { IndexError, type IndexErrorCode } from '../../index/errors.ts';
import { errorMessage } from '../base/errors.ts';

/** What a thread does with a request. `ending` is aborted when its owner ends it. */
export type Work<Request, Event, Result> = (
  request: Request,
  report: (event: Event) => void,
  ending: AbortSignal,
) => Promise<Result>;

type Message<Request> = { readonly request: Request } | 'end';

/** Of an error, structured cloning drops what a subclass adds. */
type Reply<Event, Result> =
  | { readonly event: Event }
  | { readonly result: Result }
  | { readonly failure: { readonly code: IndexErrorCode | null; readonly message: string } };

/** In the thread: performs the requests of its owner. */
export function performRequests<Request, Event, Result>(work: Work<Request, Event, Result>): void {
  const port = parentPort;
  if (port === null) throw new Error('This file runs as a worker thread only.');
  const reply = (message: Reply<Event, Result>) => port.postMessage(message);
  const ending = new AbortController();
  port.on('message', async (message: Message<Request>) => {
    if (message === 'end') return ending.abort();
    try {
      reply({ result: await work(message.request, (event) => reply({ event }), ending.signal) });
    } catch (error) {
      const code = error instanceof IndexError ? error.code : null;
      reply({ failure: { code, message: errorMessage(error) } });
    }
  });
}

/** Starts a built file that calls `performRequests`. A thread alone neither keeps the process alive nor ends it when it dies. */
export function startThread(entry: URL): Worker {
  const thread = new Worker(entry);
  thread.unref();
  return thread.on('error', () => {});
}

/**
 * Sends the only request that a thread performs now. Rejects as its work does, or where the thread ends before. A caller whose
 * process has to wait for the result calls `thread.ref()` afterwards.
 */
export function ask<Request, Event, Result>(
  thread: Worker,
  request: Request,
  onEvent: (event: Event) => void,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void) => {
      thread.off('message', onMessage).off('error', onError).off('exit', onExit);
      finish();
    };
    const onMessage = (reply: Reply<Event, Result>) => {
      if ('event' in reply) onEvent(reply.event);
      else if ('result' in reply) settle(() => resolve(reply.result));
      else {
        const { code, message } = reply.failure;
        settle(() => reject(code === null ? new Error(message) : new IndexError(code, message)));
      }
    };
    const onError = (error: unknown) => settle(() => reject(error));
    const onExit = (code: number) =>
      settle(() => reject(new Error(`A thread exited with code ${code} before it had finished.`)));
    thread.on('message', onMessage).on('error', onError).on('exit', onExit);
    // Listening to messages would keep the process alive.
    thread.unref();
    thread.postMessage({ request } satisfies Message<Request>);
  });
}

/** Gives the request `graceMs` to stop, then ends the thread. */
export async function endThread(thread: Worker, graceMs: number): Promise<void> {
  thread.ref();
  thread.postMessage('end');
  const exited = new Promise((resolve) => thread.once('exit', resolve));
  const timer = setTimeout(() => void thread.terminate(), graceMs);
  await exited;
  clearTimeout(timer);
}
