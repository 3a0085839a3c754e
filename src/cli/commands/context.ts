/** `skillgate context`: prints an `<available_skills>` block, for hosts that put skills into their prompt. */

import { join } from 'node:path';
import type { CommonOptions } from '../../app/configured.ts';
import { policyOf } from '../../app/open-policy.ts';
import { selectContext } from '../../gateway/context.ts';
import { viewFor } from '../../gateway/gateway-per-grants.ts';
import { LOCAL } from '../../gateway/policy/principal.ts';
import { availableSkills, elementTokens, FRAME_TOKENS } from '../../mcp/available-skills.ts';
import { counted } from '../../mcp/text.ts';
import { warningOf } from '../../skills/suspicion.ts';
import type { CatalogEntry } from '../../sources/scan/entry.ts';
import { CliError } from '../exit-codes.ts';
import { colours, print, printJson, say } from '../output.ts';
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
      const selected = await selectContext(index, {
        ...asked,
        costOf: (entry) => elementTokens(withWarning(entry)),
      });
      end?.({ outcome: 'ok', ms: performance.now() - started, result: selected });
      return selected;
    });
  });
  const found = entries.flatMap(findingsOf);
  if (found.length > 0) say(colours.yellow(warningOf(found)));
  if (options.json === true) {
    const skills = entries.map(({ id, name, description, folder, file, marks = [] }) => ({
      id,
      name,
      description,
      location: join(folder, file),
      ...(marks.length > 0 && { suspicious: marks }),
    }));
    printJson({ total, skills });
    return;
  }
  print(availableSkills(entries.map(withWarning), total));
  if (entries.length < total) say(`${entries.length} of ${counted(total, 'skill')}.`);
}

const findingsOf = ({ id, marks = [] }: CatalogEntry) => marks.map((mark) => ({ skill: id, ...mark }));

/** The model that gets the block sees the warning where it reads of the skill. */
function withWarning(entry: CatalogEntry): CatalogEntry {
  const found = findingsOf(entry);
  return found.length === 0 ? entry : { ...entry, description: `${warningOf(found)} ${entry.description}` };
}
