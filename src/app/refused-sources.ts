/** Refuses, when a configuration is checked, what a refresh of its sources would refuse without asking anybody. */

import { refusalOf } from '../sources/fetched/preflight.ts';
import { ConfigError } from './config/errors.ts';
import type { Configured } from './settings.ts';

/** Throws `ConfigError` with the place of each refused setting. */
export function checkSources({ named, placeOf }: Pick<Configured, 'named' | 'placeOf'>): void {
  const problems = named.flatMap(({ name, source }, at) => {
    const refusal = refusalOf(source);
    return refusal === null
      ? []
      : [
          {
            ...placeOf(['sources', at, refusal.setting]),
            message: `A refresh of ${name} is refused. ${refusal.message}`,
          },
        ];
  });
  if (problems.length > 0) throw new ConfigError(problems);
}
