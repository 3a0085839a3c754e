/** `skillgate explore`: serves the local page until it is interrupted, and opens it in the browser. */

import { spawn } from 'node:child_process';
import { processEnvironment } from '../../../src/app/configured.ts';
import type { CommonOptions } from '../../../src/app/extension-api.ts';
import { firstSignal } from '../../../src/base/timing.ts';
import { settingsWithRoots } from '../../../src/cli/commands/with-gateway.ts';
import { print, printJson, say } from '../../../src/cli/output.ts';
import { openExplore } from '../open.ts';

export interface ExploreOptions extends CommonOptions {
  readonly port: number;
  readonly keep?: boolean;
  /** False for --no-open. */
  readonly open: boolean;
}

export async function explore(options: ExploreOptions): Promise<void> {
  const { port, open, json, keep = false } = options;
  const settings = await settingsWithRoots(options);
  const environment = processEnvironment();
  const { url, urlOnce, close } = await openExplore({ settings, environment, port, keep, log: say });
  const signal = firstSignal(process);
  if (json === true) printJson({ url });
  else print(`The page is at ${url}`);
  print('It answers only this machine, and only with this token. Ctrl+C ends it.');
  if (open) openInBrowser(urlOnce);
  await signal.arrived;
  signal.release();
  await close();
}

/** Best effort: where there is no desktop, the printed URL is enough. */
function openInBrowser(url: string): void {
  const [command, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(command!, [...args, url], { stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
}

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};
