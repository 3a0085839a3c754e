/** The built program, serving over HTTP in a workplace of its own on whatever port is free. */

import type { Outcome, Workplace } from './command.ts';

export interface HttpServer {
  readonly url: string;
  readonly pid: number;
  /** What it has written to stderr so far. */
  said(): string;
  /** What it has written to stderr by its end, and how it ended. */
  end(signal?: NodeJS.Signals): Promise<Outcome>;
  /** Its end, whoever brings it about. */
  readonly finished: Promise<Outcome>;
}

/** `skills` null leaves the sources to the configuration. */
export async function serveHttp(
  place: Workplace,
  skills: string | null,
  ...args: string[]
): Promise<HttpServer> {
  const { child, finished } = place.start(
    ...['serve', '--http', '--port', '0', '--index', 'index'],
    ...(skills === null ? [] : ['--skills', skills]),
    ...args,
  );
  let said = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr.on('data', (text: string) => {
      said += text;
      const found = /https?:\S+\/mcp/.exec(said);
      if (found !== null) resolve(found[0]);
    });
    finished.then(({ stderr }) => reject(new Error(`It ended: ${stderr}`)), reject);
  });
  return {
    url,
    pid: child.pid ?? 0,
    said: () => said,
    finished,
    end(signal = 'SIGTERM') {
      child.kill(signal);
      return finished;
    },
  };
}
