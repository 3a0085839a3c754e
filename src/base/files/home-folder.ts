/** The home of the user. */

import { homedir, userInfo } from 'node:os';
import { isAbsolute } from 'node:path';

/** Never relative: an empty `HOME` would be the working directory, which may be a project of others. Throws where a user has none. */
export function homeFolder(): string {
  const home = homedir();
  return isAbsolute(home) ? home : userInfo().homedir;
}
