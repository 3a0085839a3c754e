/** Lower bounds on this machine: an empty Node process, and an MCP server without any work. */

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { SpeedFigures } from './figures.ts';
import { latencyOf, timesOf, withServer } from './processes.ts';
import { medianOf, runNode } from './usage.ts';

const ROUND_TRIPS = 1_000;

/** Measures both. The bundled server goes to the folder `scratch`. */
export async function floors(repeat: number, scratch: string): Promise<SpeedFigures['floors']> {
  const node = await medianOf(repeat, () => runNode(['-e', '0']));
  const outfile = join(scratch, 'bare-server.js');
  // Bundled like the product: unbundled, its start takes twice as long.
  await build({
    entryPoints: [fileURLToPath(new URL('bare-server.ts', import.meta.url))],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'error',
  });
  const server = await medianOf(repeat, async () => {
    const { result, usage } = await withServer([outfile], async ({ search, elapsed }) => {
      await search('anything');
      return elapsed();
    });
    return { ...usage, wallMs: result, stdout: '' };
  });
  const warm = await withServer([outfile], ({ search }) => timesOf(search, ['anything'], ROUND_TRIPS));
  const figures = ({ wallMs, cpuMs, peakBytes }: typeof node) => ({ wallMs, cpuMs, peakBytes });
  return { node: figures(node), server: figures(server), roundTrip: latencyOf(warm.result) };
}
