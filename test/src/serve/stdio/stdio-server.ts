/** A program that serves the small catalog over stdin and stdout until its input ends. */

import { mcpServerFactory } from '../../../../src/mcp/server.ts';
import { serveOverStdio } from '../../../../src/serve/stdio/stdio.ts';
import { fakeGateway, SKILLS } from '../../mcp/fake-gateway.ts';

const log = (message: string) => console.error(message);
const factory = mcpServerFactory({
  gateway: async () => {
    console.log('a library prints while it opens');
    return fakeGateway(SKILLS);
  },
  version: '0',
  log,
});
const end = await serveOverStdio(factory, { log });
console.error(`ended: ${end}`);
