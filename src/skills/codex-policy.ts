/** `agents/openai.yaml` beside a skill file: how Codex offers the skill. */

import * as z from 'zod';
import { countTokens, parseYaml } from '../base/yaml.ts';
import { decodeText } from './decode.ts';
import type { Audience } from './skill.ts';

export const CODEX_POLICY = 'agents/openai.yaml';
/** A longer file says nothing. */
const MAX_BYTES = 65_536;

const policySchema = z.object({ policy: z.object({ allow_implicit_invocation: z.literal(false) }) });

/** A text of more words and signs says nothing. */
const MAX_TOKENS = 4_000;

function isRestricted(text: string): boolean {
  if (countTokens(text, MAX_TOKENS) > MAX_TOKENS) return false;
  try {
    return policySchema.safeParse(parseYaml(text).toJS({ maxAliasCount: 0 })).success;
  } catch {
    return false;
  }
}

/** `audience`, without models where the file says that the skill is used only where a person names it. */
export function restrictByPolicy(audience: Audience, bytes: Uint8Array): Audience {
  if (bytes.length > MAX_BYTES || !isRestricted(decodeText(bytes, CODEX_POLICY).text)) return audience;
  return audience === 'all' || audience === 'people' ? 'people' : 'none';
}
