/** The held server as a program: `held-program.ts FILE`. It checks the file before each message. */

import { InMemoryTransport } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { heldIn, heldServer } from './held.ts';

const [, , file = ''] = process.argv;
const down = (): never => {
  console.error(`It is down; its token is ${process.env.TOKEN}.`);
  process.exit(1);
};

// One server for the current skills; a new one replaces it when they change.
let known = '';
let inner: InMemoryTransport | undefined;

const outer = new StdioServerTransport();
outer.onmessage = async (message) => {
  const held = heldIn(file);
  if (held === 'down') down();
  if (typeof held === 'string') return;
  if (known !== JSON.stringify(held)) {
    known = JSON.stringify(held);
    const [near, far] = InMemoryTransport.createLinkedPair();
    serveStdio(() => heldServer(held), { transport: far });
    near.onmessage = (answer) => outer.send(answer);
    await near.start();
    inner = near;
  }
  await inner?.send(message);
};
outer.onclose = () => process.exit(0);
if (heldIn(file) === 'down') down();
await outer.start();
