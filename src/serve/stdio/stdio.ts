/**
 * Serves over stdin and stdout: one client, both protocol eras. Only protocol messages go to stdout; any other output, of
 * our code or a library, goes to stderr. Serving ends with the input, when the client stops reading, or at SIGINT or
 * SIGTERM. The caller closes the gateway and sets the exit code.
 */

import { type Readable, Writable } from 'node:stream';
import {
  isJSONRPCRequest,
  type JSONRPCMessage,
  type McpServerFactory,
  type Transport,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { isRecord } from '../../base/json.ts';
import { type EndSignal, firstSignal, type Signals } from '../../base/timing.ts';
import { AnsweringStdioTransport } from './answering-transport.ts';

interface StdioOptions {
  /** Writes one line for the operator, on stderr. */
  readonly log: (message: string) => void;
  /** Default for all four: those of the process. */
  readonly input?: Readable;
  readonly output?: Writable;
  readonly errors?: Writable;
  readonly signals?: Signals;
}

/** Why serving ended: the connection was closed, or a signal arrived. */
type StdioEnd = 'closed' | EndSignal;

/** Serves until the connection ends. Never rejects: errors are logged. */
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
  // A client that has gone away is a normal end.
  const handle = serveBothEras(
    factory,
    transport,
    (error) => void (isBrokenPipe(error) || log(`MCP: ${error.message}`)),
  );
  const end = await Promise.race([transport.closed.then(() => 'closed' as const), signal.arrived]);
  // From now on a second signal ends the process immediately.
  signal.release();
  await handle.close();
  input.pause();
  protocol.release();
  return end;
}

/**
 * A private stream to `output`. Until `release`, `output.write` itself writes to `errors`, because one stray line of a
 * library would break the protocol.
 */
function claimOutput(output: Writable, errors: Writable): { readonly stream: Writable; release(): void } {
  const write = output.write;
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk, encoding, done) => void write.call(output, chunk, encoding, done),
  });
  output.write = errors.write.bind(errors);
  // Both streams emit a broken pipe; the transport handles it on its own stream.
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

/** Marks a message of the newest era. */
const CLAIM = 'io.modelcontextprotocol/protocolVersion';

type Handle = ReturnType<typeof serveStdio>;

/** Closing the handle closes the wire. */
function serveBothEras(factory: McpServerFactory, wire: Transport, onerror: (error: Error) => void): Handle {
  const eras: { readonly channel: Transport; readonly handle: Handle }[] = [];
  let isModern = false;
  const open = () => {
    const channel: Transport = {
      start: async () => {},
      send: (message, options) => wire.send(message, options),
      close: async () => (channel === eras.at(-1)?.channel ? wire.close() : undefined),
    };
    eras.push({ channel, handle: serveStdio(factory, { transport: channel, onerror }) });
  };
  open();
  wire.onmessage = (message, extra) => {
    const claims = claimsModern(message);
    // The first era stays open until the end: it may have calls to answer.
    if (isModern && !claims && isJSONRPCRequest(message) && message.method === 'initialize') {
      isModern = false;
      open();
    } else isModern ||= claims && eras.length === 1;
    eras.at(-1)?.channel.onmessage?.(message, extra);
  };
  wire.onerror = (error) => eras.at(-1)?.channel.onerror?.(error);
  wire.onclose = () => {
    for (const { channel } of eras) channel.onclose?.();
  };
  const started = wire.start().catch(onerror);
  return {
    async close() {
      await started;
      for (const { handle } of eras) await handle.close();
    },
  };
}

function claimsModern(message: JSONRPCMessage): boolean {
  const meta = 'params' in message && isRecord(message.params) ? message.params._meta : undefined;
  return isRecord(meta) && CLAIM in meta;
}
