/**
 * The Unix socket by which a run reaches its proxy. It has a name on this machine only until the sandbox has
 * mounted it; afterwards no other process can find it, and it disappears with the run.
 */

import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorMessage } from '../../../src/base/errors.ts';
import { type EgressProxy, SandboxError } from './sandbox.ts';

/** Another user may have no access to the folder in `TMPDIR`. */
const SHARED = '/tmp';

export interface ProxySocket {
  readonly path: string;
  /** Removes the socket's name. */
  unlink(): Promise<void>;
}

/** `owner` is the user that runs bubblewrap, if it is not this process's. Rejects with `SANDBOX_FAILED`. */
export async function openProxySocket(network: EgressProxy, owner: number | null): Promise<ProxySocket> {
  const folder = await mkdtemp(join(owner === null ? tmpdir() : SHARED, 'skillgate-proxy-'));
  const unlink = () => rm(folder, { recursive: true, force: true });
  const path = join(folder, 'socket');
  try {
    await network.listen(path);
    await chmod(path, 0o600);
    if (owner !== null) await Promise.all([folder, path].map((each) => chown(each, owner, owner)));
    return { path, unlink };
  } catch (cause) {
    await unlink();
    throw new SandboxError('SANDBOX_FAILED', `The proxy’s socket cannot be made: ${errorMessage(cause)}.`, {
      cause,
    });
  }
}
