/** What a source that is another MCP server has beside its skills, known without loading the protocol's client. */

import type { PeerTools } from '../../../peers/tools.ts';
import type { FetchedSource } from '../fetched.ts';

export interface McpSource extends FetchedSource {
  /** What else the server offers. Nothing is asked before it is needed. */
  readonly tools: PeerTools;
  onNotice(listener: () => void): () => void;
}

export const isMcpSource = (source: object): source is McpSource => 'tools' in source;
