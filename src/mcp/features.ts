/** Everything that a server offers in addition to tools, in the order in which it is attached, over one publisher. */

import type { Log } from './errors.ts';
import { promptsFeature } from './prompts.ts';
import { SkillPublisher } from './published-skills.ts';
import type { ServerFeature } from './server.ts';
import { skillsExtension } from './skills-extension.ts';
import type { ToolProfile } from './tools/profile.ts';

export interface FeatureOptions {
  readonly profile: ToolProfile;
  readonly log: Log;
  /** Features that share the publisher with the Skills extension, and are attached after it. */
  readonly more?: (publisher: SkillPublisher) => readonly ServerFeature[];
}

export function serverFeatures({ profile, log, more = () => [] }: FeatureOptions): readonly ServerFeature[] {
  const publisher = new SkillPublisher(log);
  return [skillsExtension(log, publisher), ...more(publisher), promptsFeature(profile, log)];
}
