/** Whether a commit is signed by someone whom the configuration trusts, as git itself verifies it. */

import { createHash } from 'node:crypto';
import { errorMessage } from '../../../src/base/errors.ts';
import { readRegularSync } from '../../../src/base/files/read.ts';
import { FetchError } from '../fetched/fetch-error.ts';
import { type GitRun, gitText } from './program.ts';

/** Whose signatures count: a file of SSH keys (ssh-keygen(1), ALLOWED SIGNERS), or a GnuPG home with the keys. */
export type CommitSigners = { readonly allowedSigners: string } | { readonly gnupgHome: string };

/** Bytes of a file of keys. */
const MAX_SIGNERS = 4 * 2 ** 20;

/** Changes with the trusted keys. Without the file no commit counts, which the first fetch reports. */
export function signerKey(signers: CommitSigners): string {
  if ('gnupgHome' in signers) return `gpg ${signers.gnupgHome}`;
  try {
    return `ssh ${createHash('sha256').update(readRegularSync(signers.allowedSigners, MAX_SIGNERS)).digest('hex')}`;
  } catch {
    return `ssh ${signers.allowedSigners}`;
  }
}

/** A program that does not exist: signatures of the other kind cannot be verified, so they do not count. */
const NONE = '/nonexistent/no-program';

/** git-log(1), `%G?`: good; good, by a key of the keyring that no one certified. */
const GOOD = { ssh: ['G'], gpg: ['G', 'U'] };
const REASONS: Readonly<Record<string, string>> = {
  N: 'it has no signature',
  B: 'its signature does not match it',
  U: 'its key is not trusted',
  X: 'its signature has expired',
  Y: 'its key has expired',
  R: 'its key was revoked',
  E: 'its signature cannot be verified: its key is not trusted, or a program is missing',
};

/** Throws a `FetchError`. `run.repository` has the commit. */
export async function checkCommit(run: GitRun, commit: string, signers: CommitSigners): Promise<void> {
  const isSsh = 'allowedSigners' in signers;
  const settings = [
    `gpg.ssh.allowedSignersFile=${isSsh ? signers.allowedSigners : '/dev/null'}`,
    `gpg.ssh.program=${isSsh ? 'ssh-keygen' : NONE}`,
    `gpg.openpgp.program=${isSsh ? NONE : 'gpg'}`,
    `gpg.program=${isSsh ? NONE : 'gpg'}`,
    `gpg.x509.program=${NONE}`,
    'log.showSignature=false',
  ].flatMap((setting) => ['-c', setting]);
  const env = isSsh ? run.env : { ...run.env, GNUPGHOME: signers.gnupgHome };
  const format = '--format=%G?%n%GF';
  const text = await gitText({ ...run, env }, [
    ...settings,
    'log',
    '-1',
    '--no-patch',
    format,
    commit,
    '--',
  ]).catch((error: unknown) => {
    run.signal.throwIfAborted();
    throw refusal(commit, errorMessage(error), '');
  });
  const [status = '', key = ''] = text.split('\n');
  if (!GOOD[isSsh ? 'ssh' : 'gpg'].includes(status))
    throw refusal(commit, REASONS[status] ?? `git says ${status} of its signature`, key);
}

function refusal(commit: string, reason: string, key: string): FetchError {
  const by = key === '' ? '' : ` (${key})`;
  return new FetchError(
    `The commit ${commit.slice(0, 12)} is not used: ${reason}${by}. Sign it with a key in signedBy, or add its key there.`,
  );
}
