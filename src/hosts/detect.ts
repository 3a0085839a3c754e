/** Which hosts are installed on this machine, as far as their files tell. */

import { existsSync } from 'node:fs';
import { HOSTS, type Host } from './hosts.ts';
import { pathAt, type System } from './locations.ts';

export const installedHosts = (system: System): readonly Host[] =>
  HOSTS.filter(({ signs }) => signs.some((sign) => existsSync(pathAt(sign, system))));
