/** Servers with every dialect over one gateway, as `skillgate serve` makes them. */

import type { Gateway } from '../../../src/gateway/gateway.ts';
import { type DialectOptions, dialects } from '../../../src/mcp/dialects.ts';
import { mcpServerFactory } from '../../../src/mcp/server.ts';
import { PROFILES, type ProfileName } from '../../../src/mcp/tools/profiles.ts';

export function dialectServer(
  gateway: Gateway,
  options: { readonly tools?: ProfileName; readonly logged?: string[] } & Partial<DialectOptions> = {},
) {
  const { tools = 'search-first', logged = [], drafts = true } = options;
  const profile = PROFILES[tools];
  const opened = async () => gateway;
  const log = (line: string) => logged.push(line);
  const extensions = dialects({ profile, drafts, log });
  return mcpServerFactory({ gateway: opened, version: '0.0.0', log, profile, extensions });
}
