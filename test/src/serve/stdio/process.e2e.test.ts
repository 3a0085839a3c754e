/** A real process, spawned by a client of the SDK: answers and ends. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { programOf } from '../../../peers/program-of.ts';

const { args: ARGUMENTS } = programOf(fileURLToPath(new URL('stdio-server.ts', import.meta.url)));
const REQUEST = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_skills', arguments: {} } })}\n`;

async function outcome(child: ChildProcess) {
  const text = { stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk) => {
    text.stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    text.stderr += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, ...text };
}

describe('a process that serves over stdio', () => {
  it('answers piped requests, prints nothing else, and ends', async () => {
    const child = spawn(process.execPath, ARGUMENTS);
    child.stdin.end(REQUEST);
    const { code, stdout, stderr } = await outcome(child);
    expect(code).toBe(0);
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([{ id: 1, result: { structuredContent: { total: 4 } } }]);
    expect(stderr).toBe('a library prints while it opens\na library prints while it opens\nended: closed\n');
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('ends at %s with its input still open', async (signal) => {
    const child = spawn(process.execPath, ARGUMENTS);
    const ended = outcome(child);
    child.stdin.write(REQUEST);
    await once(child.stdout, 'data');
    child.kill(signal);
    expect(await ended).toMatchObject({ code: 0, stderr: expect.stringContaining(`ended: ${signal}`) });
  });

  it('ends when the client stops reading', async () => {
    const child = spawn(process.execPath, ARGUMENTS);
    child.stdout.destroy();
    child.stdin.write(REQUEST);
    const { code, stderr } = await outcome(child);
    expect(code).toBe(0);
    expect(stderr).toContain('ended: closed');
  });
});
