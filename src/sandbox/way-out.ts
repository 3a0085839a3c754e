/**
 * The socket by which a run reaches the proxy that stands outside for it. It has a name on this machine until the
 * sandbox has it; after that nobody else can find it, and it is gone with the run.
 */

import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SandboxError, type WayOut } from './sandbox.ts';

/** Another user may be unable to reach the folder that `TMPDIR` names. */
const SHARED = '/tmp';

export interface OpenWayOut {
  readonly path: string;
  /** Takes its name away. */
  hide(): Promise<void>;
}

/** `owner` is who runs bubblewrap, where that is another user. Rejects with `SANDBOX_FAILED`. */
export async function openWayOut(network: WayOut, owner: number | null): Promise<OpenWayOut> {
  const folder = await mkdtemp(join(owner === null ? tmpdir() : SHARED, 'skillgate-proxy-'));
  const hide = () => rm(folder, { recursive: true, force: true });
  const path = join(folder, 'socket');
  try {
    await network.listen(path);
    await chmod(path, 0o600);
    if (owner !== null) await Promise.all([folder, path].map((each) => chown(each, owner, owner)));
    return { path, hide };
  } catch (cause) {
    await hide();
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SandboxError('SANDBOX_FAILED', `Its way to the network cannot be made: ${reason}.`, cause);
  }
}
