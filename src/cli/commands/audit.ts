/** `skillgate audit verify`: checks the hash chain of an audit log. */

import { open } from 'node:fs/promises';
import { messageOf } from '../../errors/public.ts';
import { counted } from '../../mcp/public.ts';
import { verifyChain } from '../../telemetry/public.ts';
import { CliError, EXIT } from '../exit-codes.ts';
import { colours, print, printReport, say } from '../output.ts';

export async function verify(files: readonly string[], options: { readonly json?: boolean }): Promise<void> {
  const report = await verifyChain(linesOf(files));
  const { lines, writers, continued, last, broken } = report;
  if (options.json === true) printReport({ files, ...report });
  else if (broken === null) {
    print(
      `${counted(lines, 'line')} by ${counted(writers, 'process', 'processes')}, chain whole. Last: ${last ?? 'none'}`,
    );
    if (continued > 0)
      say(`${continued} of them began in an earlier file. Give that file first to check its lines too.`);
  } else say(`${colours.red('skillgate:')} line ${broken.line} of ${files.join(', ')}: ${broken.reason}.`);
  if (broken !== null) process.exitCode = EXIT.broken;
}

async function* linesOf(paths: readonly string[]): AsyncGenerator<string> {
  for (const path of paths) {
    try {
      const file = await open(path);
      try {
        yield* file.readLines();
      } finally {
        await file.close();
      }
    } catch (cause) {
      throw new CliError(
        'FAILED',
        `${path} cannot be read: ${messageOf(cause)}. Give files of an audit log.`,
        {
          cause,
        },
      );
    }
  }
}
