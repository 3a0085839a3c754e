/** `skillgate context`: prints an `<available_skills>` block, for hosts that put skills into their prompt. */

import { join } from 'node:path';
import { policyOf } from '../../app/open-policy.ts';
import type { CommonOptions } from '../../app/settings.ts';
import { selectContext } from '../../gateway/context.ts';
import { viewFor } from '../../gateway/gateway-per-grants.ts';
import { LOCAL } from '../../gateway/policy/principal.ts';
import { availableSkills, elementTokens, FRAME_TOKENS } from '../../mcp/available-skills.ts';
import { counted } from '../../mcp/text.ts';
import { CliError } from '../exit-codes.ts';
import { print, printJson, say } from '../output.ts';
import { sayRulesForEverybody, withAudit, withLibrary } from './with-gateway.ts';

export interface ContextOptions extends CommonOptions {
  readonly query?: string;
  readonly maxTokens?: number;
}

export async function context({ query, maxTokens, ...options }: ContextOptions): Promise<void> {
  if (maxTokens !== undefined && maxTokens <= FRAME_TOKENS)
    throw new CliError('USAGE', `--max-tokens takes more than ${FRAME_TOKENS}, not ${maxTokens}.`);
  const { entries, total } = await withLibrary(options, async (library, { config }) => {
    sayRulesForEverybody(config);
    return withAudit(config, async (audit) => {
      const asked = {
        query,
        ...(maxTokens === undefined ? {} : { maxTokens: maxTokens - FRAME_TOKENS }),
      };
      const started = performance.now();
      const end = audit?.observe({ name: 'context', principal: LOCAL, request: asked });
      const index = await viewFor(library, policyOf(config).grantsOf(LOCAL)).current();
      const selected = await selectContext(index, { ...asked, costOf: elementTokens });
      end?.({ outcome: 'ok', ms: performance.now() - started, result: selected });
      return selected;
    });
  });
  if (options.json === true) {
    const skills = entries.map(({ id, name, description, folder, file }) => ({
      id,
      name,
      description,
      location: join(folder, file),
    }));
    printJson({ total, skills });
    return;
  }
  print(availableSkills(entries, total));
  if (entries.length < total) say(`${entries.length} of ${counted(total, 'skill')}.`);
}
