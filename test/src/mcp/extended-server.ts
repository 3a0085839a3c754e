/** Servers with all features over one gateway, as in `skillgate serve`. */

import type { Gateway } from '../../../src/gateway/gateway.ts';
import { mcpServerFactory } from '../../../src/mcp/server.ts';
import { allFeatures, PROFILES, type ProfileName } from './profiles.ts';

export function extendedServer(
  gateway: Gateway,
  options: { readonly tools?: ProfileName; readonly logged?: string[]; readonly drafts?: boolean } = {},
) {
  const { tools = 'search-first', logged = [], drafts = true } = options;
  const profile = PROFILES[tools];
  const opened = async () => gateway;
  const log = (line: string) => logged.push(line);
  const features = allFeatures(profile, log, { drafts });
  return mcpServerFactory({ gateway: opened, version: '0.0.0', log, profile, features });
}
