/** Every dialect beside the tools, in the order in which they are attached, over one publisher. */

import { draftsExtension } from './drafts/drafts.ts';
import { promptsExtension } from './prompts.ts';
import { SkillPublisher } from './published-skills.ts';
import type { Extension } from './server.ts';
import { skillsExtension } from './skills-extension.ts';
import type { Log } from './tool.ts';
import type { ToolProfile } from './tools/profile.ts';

export interface DialectOptions {
  readonly profile: ToolProfile;
  /** False leaves the older drafts out on connections of the older revisions too. */
  readonly drafts: boolean;
  readonly log: Log;
}

export function dialects({ profile, drafts, log }: DialectOptions): readonly Extension[] {
  const publisher = new SkillPublisher(log);
  return [
    skillsExtension(log, publisher),
    ...(drafts ? [draftsExtension({ publisher, log })] : []),
    promptsExtension(profile, log),
  ];
}
