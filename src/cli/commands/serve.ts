/** `skillgate serve`: an MCP server on stdin and stdout, or over HTTP. */

import { type CommonOptions, processEnvironment, runServer, settingsOf } from '../../app/public.ts';
import type { Answers, ProfileName } from '../../mcp/public.ts';
import { CliError } from '../exit-codes.ts';
import { say } from '../output.ts';

export interface ServeOptions extends CommonOptions {
  readonly http?: boolean;
  readonly port?: number;
  readonly host?: string;
  readonly tools: ProfileName;
  readonly answers: Answers;
  /** False for --no-drafts. */
  readonly drafts: boolean;
}

export async function serve(options: ServeOptions, version: string): Promise<void> {
  const { http = false, port, host, tools, answers, drafts } = options;
  if (!http && (port !== undefined || host !== undefined))
    throw new CliError('USAGE', '--port and --host belong to --http.');
  const environment = processEnvironment();
  const settings = await settingsOf(options, environment, { overHttp: http });
  const log = settings.config.telemetry.log === 'silent' ? () => {} : say;
  await runServer({
    settings,
    environment,
    version,
    log,
    tools,
    answers,
    drafts,
    http: http ? { host, port } : null,
  });
}
