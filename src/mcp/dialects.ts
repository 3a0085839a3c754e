/** Every dialect beside the tools, in the order in which they are attached, over one gateway and one publisher. */

import type { Gateway } from '../gateway/gateway.ts';
import { draftsExtension } from './drafts/drafts.ts';
import { promptsExtension } from './prompts.ts';
import { SkillPublisher } from './published-skills.ts';
import type { Extension } from './server.ts';
import { skillsExtension } from './skills-extension.ts';
import type { Log } from './tool.ts';
import type { ToolProfile } from './tools/profile.ts';

export interface DialectOptions {
  readonly gateway: () => Promise<Gateway>;
  readonly profile: ToolProfile;
  /** False leaves the older drafts out on connections of the older revisions too. */
  readonly drafts: boolean;
  readonly log: Log;
}

export function dialects({ gateway, profile, drafts, log }: DialectOptions): readonly Extension[] {
  const publisher = new SkillPublisher(log);
  return [
    skillsExtension(gateway, log, publisher),
    ...(drafts ? [draftsExtension({ gateway, publisher, log })] : []),
    promptsExtension(gateway, profile, log),
  ];
}
