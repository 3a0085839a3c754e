/** `skillgate serve`: an MCP server on stdin and stdout, or over HTTP. */

import { processEnvironment } from '../../app/configured.ts';
import { runServer } from '../../app/server.ts';
import type { CommonOptions } from '../../app/settings.ts';
import type { Answers } from '../../mcp/tool.ts';
import { CliError } from '../exit-codes.ts';
import { say } from '../output.ts';
import { trustedSettings } from '../trusting.ts';

export interface ServeOptions extends CommonOptions {
  readonly http?: boolean;
  readonly port?: number;
  readonly host?: string;
  readonly tools: string;
  readonly answers: Answers | 'auto';
  readonly maxAnswer?: number;
  /** False for --no-drafts. */
  readonly drafts: boolean;
}

export async function serve(options: ServeOptions, version: string): Promise<void> {
  const { http = false, port, host, tools, answers, maxAnswer, drafts } = options;
  if (!http && (port !== undefined || host !== undefined))
    throw new CliError('USAGE', '--port and --host belong to --http.');
  const environment = processEnvironment();
  const settings = await trustedSettings(options, environment, { overHttp: http });
  // Half of a configuration may be one without its authentication or its policy.
  if (http && settings.notices.length > 0)
    throw new CliError(
      'USAGE',
      'serve --http takes a configuration as a whole. Trust it, or name it: --config FILE.',
    );
  const log = settings.config.telemetry.log === 'silent' ? () => {} : say;
  await runServer({
    settings,
    environment,
    version,
    log,
    tools,
    answers,
    maxCharacters: maxAnswer,
    drafts,
    http: http ? { host, port } : null,
  });
}
