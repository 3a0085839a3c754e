/** A network between a client and a server on loopback that a test can make slow, silent or broken. */

import { connect, createServer, type Socket } from 'node:net';

export interface TcpProxy {
  readonly port: number;
  /** The address with the port of this proxy. */
  through(url: string): string;
  /** Each chunk arrives so many milliseconds later, in both directions. */
  delay(ms: number): void;
  /** Connections are accepted and stay open, and nothing arrives, until `pass`. What was sent meanwhile arrives then. */
  stall(): void;
  /** Half-open: connections stay, and what goes to the server, or comes from it, is lost until `pass`. */
  lose(what: 'questions' | 'answers'): void;
  /** Breaks all connections, and refuses new ones until `pass`. */
  cut(): void;
  pass(): void;
  /** Called with what clients send, before it is forwarded; `false` loses it. */
  onSent(listener: (bytes: Buffer) => boolean): void;
  close(): Promise<void>;
}

export async function tcpProxy(target: number): Promise<TcpProxy> {
  const open = new Set<Socket>();
  const held: (() => void)[] = [];
  let mode: 'passing' | 'stalled' | 'questions' | 'answers' | 'cut' = 'passing';
  let delayMs = 0;
  let listener: (bytes: Buffer) => boolean = () => true;
  const forward = (write: () => void) => {
    if (mode === 'stalled') held.push(write);
    else if (delayMs > 0) setTimeout(write, delayMs);
    else write();
  };
  const link = (from: Socket, to: Socket, wanted: (bytes: Buffer) => boolean) => {
    open.add(from);
    from.setNoDelay(true);
    from.on('data', (bytes) => {
      if (wanted(bytes)) forward(() => to.write(bytes));
    });
    from.on('error', () => {});
    from.on('close', () => {
      open.delete(from);
      forward(() => to.destroy());
    });
  };
  const server = createServer((client) => {
    if (mode === 'cut') return void client.resetAndDestroy();
    const upstream = connect(target, '127.0.0.1');
    link(client, upstream, (bytes) => mode !== 'questions' && listener(bytes));
    link(upstream, client, () => mode !== 'answers');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    port,
    through(url) {
      const changed = new URL(url);
      changed.host = `127.0.0.1:${port}`;
      return changed.href;
    },
    delay(ms) {
      delayMs = ms;
    },
    stall() {
      mode = 'stalled';
    },
    lose(what) {
      mode = what;
    },
    cut() {
      mode = 'cut';
      held.length = 0;
      for (const socket of open) socket.resetAndDestroy();
    },
    pass() {
      mode = 'passing';
      for (const write of held.splice(0)) write();
    },
    onSent(next) {
      listener = next;
    },
    close() {
      for (const socket of open) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
