/** MCP over stdin and stdout: one client, the user of this machine. What the messages mean belongs to `mcp/`. */

export { serveOverStdio } from './stdio.ts';
