/** Every dialect beside the tools, in the order in which they are attached, over one publisher. */

import { draftsExtension } from './drafts/drafts.ts';
import type { Log } from './log.ts';
import { promptsExtension } from './prompts.ts';
import { SkillPublisher } from './published-skills.ts';
import { scriptOutputs } from './script-outputs.ts';
import type { OpenScripts } from './script-run.ts';
import type { Extension } from './server.ts';
import { skillsExtension } from './skills-extension.ts';
import type { ToolProfile } from './tools/profile.ts';

export interface DialectOptions {
  readonly profile: ToolProfile;
  /** False leaves the older drafts out on connections of the older revisions too. */
  readonly drafts: boolean;
  /** Where scripts are run. */
  readonly scripts?: OpenScripts | undefined;
  readonly log: Log;
}

export function dialects({ profile, drafts, scripts, log }: DialectOptions): readonly Extension[] {
  const publisher = new SkillPublisher(log);
  return [
    ...(scripts === undefined ? [] : [scriptOutputs(scripts)]),
    skillsExtension(log, publisher),
    ...(drafts ? [draftsExtension({ publisher, scripts, log })] : []),
    promptsExtension(profile, log),
  ];
}
