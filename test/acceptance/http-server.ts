/** The built program, serving over HTTP in a temporary folder on a free port. It ends with the test that starts it. */

import { join } from 'node:path';
import { endWithTest } from '../end-with-test.ts';
import { type Outcome, prepareIndex, type Workplace } from './command.ts';

export interface HttpServer {
  readonly url: string;
  readonly pid: number;
  /** Its stderr so far. */
  said(): string;
  /** Its final stderr and exit status. */
  end(signal?: NodeJS.Signals): Promise<Outcome>;
  /** Resolves at its end, for any reason. */
  readonly finished: Promise<Outcome>;
}

/** A token of the file `tokens.json`, made by the program. */
export const newToken = async (place: Pick<Workplace, 'run'>, name: string): Promise<string> =>
  (await place.run('token', 'create', name, '--file', 'tokens.json')).stdout.trim();

/** With `skills` null, the sources come from the configuration. */
export async function serveHttp(
  place: Pick<Workplace, 'start'> & Partial<Workplace>,
  skills: string | null,
  ...args: string[]
): Promise<HttpServer> {
  if (place.folder !== undefined) await prepareIndex(skills, join(place.folder, 'index'));
  const { child, finished } = place.start(
    ...['serve', '--http', '--port', '0', '--index', 'index'],
    ...(skills === null ? [] : ['--skills', skills]),
    ...args,
  );
  endWithTest(() => child.kill('SIGKILL'));
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
