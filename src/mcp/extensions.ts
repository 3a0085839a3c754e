/** Everything that a server offers in addition to tools, in the order in which it is attached, over one publisher. */

import { draftsExtension } from '../../extensions/compat/drafts/drafts.ts';
import { scriptOutputs } from '../../extensions/scripts/mcp/script-outputs.ts';
import type { OpenScripts } from '../../extensions/scripts/mcp/script-run.ts';
import type { Log } from './errors.ts';
import { promptsExtension } from './prompts.ts';
import { SkillPublisher } from './published-skills.ts';
import type { Extension } from './server.ts';
import { skillsExtension } from './skills-extension.ts';
import type { ToolProfile } from './tools/profile.ts';

export interface ExtensionOptions {
  readonly profile: ToolProfile;
  /** False disables the older drafts, also on connections of the older revisions. */
  readonly drafts: boolean;
  /** Undefined if scripts are not enabled. */
  readonly scripts?: OpenScripts | undefined;
  readonly log: Log;
}

export function serverExtensions({ profile, drafts, scripts, log }: ExtensionOptions): readonly Extension[] {
  const publisher = new SkillPublisher(log);
  return [
    ...(scripts === undefined ? [] : [scriptOutputs(scripts)]),
    skillsExtension(log, publisher),
    ...(drafts
      ? [draftsExtension({ publisher, scripts, log, tools: new Set(profile.tools.map(({ name }) => name)) })]
      : []),
    promptsExtension(profile, log),
  ];
}
