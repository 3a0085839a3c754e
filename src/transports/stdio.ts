/**
 * Serving over stdin and stdout: one client, both protocol eras. The protocol has stdout for itself: whatever else
 * prints there, our code or a library's, goes to stderr. It ends when the input does, when the client no longer
 * reads, or at SIGINT or SIGTERM; closing the gateway and the exit code are the command line's.
 */

import { type Readable, Writable } from 'node:stream';
import type { McpServerFactory } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { AnsweringStdioTransport } from './answering-transport.ts';
import { type EndSignal, firstSignal, type Signals } from './signals.ts';

export interface StdioOptions {
  /** Writes one line for the operator, on stderr. */
  readonly log: (message: string) => void;
  /** The four of the process, where not given. */
  readonly input?: Readable;
  readonly output?: Writable;
  readonly errors?: Writable;
  readonly signals?: Signals;
}

/** Why serving ended: the connection closed, or a signal came. */
export type StdioEnd = 'closed' | EndSignal;

/** Serves until the connection ends. Never rejects: what goes wrong is logged. */
export async function serveOverStdio(factory: McpServerFactory, options: StdioOptions): Promise<StdioEnd> {
  const {
    log,
    input = process.stdin,
    output = process.stdout,
    errors = process.stderr,
    signals = process,
  } = options;
  const protocol = claimOutput(output, errors);
  const transport = new AnsweringStdioTransport(input, protocol.stream);
  const signal = firstSignal(signals);
  const handle = serveStdio(factory, {
    transport,
    // A client that has gone away is an end, not an error.
    onerror: (error) => isBrokenPipe(error) || log(`MCP: ${error.message}`),
  });
  const end = await Promise.race([transport.closed.then(() => 'closed' as const), signal.arrived]);
  // From here on a second signal ends the process the hard way.
  signal.release();
  await handle.close();
  input.pause();
  protocol.release();
  return end;
}

/**
 * A stream of its own onto `output`, whose `write` goes to `errors` until `release`: one stray line of a library
 * would end the connection.
 */
function claimOutput(output: Writable, errors: Writable): { readonly stream: Writable; release(): void } {
  const write = output.write;
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk, encoding, done) => void write.call(output, chunk, encoding, done),
  });
  output.write = errors.write.bind(errors);
  // A broken pipe arrives at both streams; the transport hears of it from its own.
  const ignore = () => {};
  output.on('error', ignore);
  return {
    stream,
    release() {
      output.write = write;
    },
  };
}

const isBrokenPipe = (error: Error) =>
  'code' in error && (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED');
