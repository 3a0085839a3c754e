/** `skillgate context`: prints an `<available_skills>` block, for hosts that put skills into their prompt. */

import { join } from 'node:path';
import type { CommonOptions } from '../../app/settings.ts';
import { counted } from '../../base/text.ts';
import { selectContext } from '../../gateway/context.ts';
import { compilePolicy } from '../../gateway/policy/policy.ts';
import { LOCAL } from '../../gateway/policy/principal.ts';
import { viewFor } from '../../gateway/view.ts';
import { availableSkills, elementTokens, FRAME_TOKENS } from '../../mcp/available-skills.ts';
import { formatWarning } from '../../skills/suspicion.ts';
import type { CatalogEntry } from '../../sources/scan/entry.ts';
import { CliError } from '../exit-codes.ts';
import { colours, printJson, printText, say } from '../output.ts';
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
      const index = await viewFor(library, compilePolicy(config.policy).grantsOf(LOCAL)).current();
      const selected = await selectContext(index, {
        ...asked,
        costOf: (entry) => elementTokens(withWarning(entry)),
      });
      end?.({ outcome: 'ok', ms: performance.now() - started, result: selected });
      return selected;
    });
  });
  const found = entries.flatMap(toFindings);
  if (found.length > 0) say(colours.yellow(formatWarning(found)));
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
  printText(availableSkills(entries.map(withWarning), total));
  if (entries.length < total) say(`${entries.length} of ${counted(total, 'skill')}.`);
}

const toFindings = ({ id, marks = [] }: CatalogEntry) => marks.map((mark) => ({ skill: id, ...mark }));

/** The model that gets the block sees the warning where it reads of the skill. */
function withWarning(entry: CatalogEntry): CatalogEntry {
  const found = toFindings(entry);
  return found.length === 0
    ? entry
    : { ...entry, description: `${formatWarning(found)} ${entry.description}` };
}
