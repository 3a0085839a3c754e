/**
 * The requirements that the server meets, each with its source. A test cites an id in square brackets at the end of its
 * name. `requirements.test.ts` fails for an id that no test cites and for an unknown id.
 *
 * Sources: A is the skills draft of list, read, read_reference and execute; SEP-2076 the draft of list and get;
 * SEP-2640 the Skills extension; MCP the protocol's revision 2025-11-25.
 */

export interface Requirement {
  readonly behaviour: string;
  /** Document and section, or the project's own decision. */
  readonly source: string;
}

export const REQUIREMENTS: Readonly<Record<string, Requirement>> = {
  'drafts/capability': {
    behaviour: 'A connection of an older revision gets the capability skills: {listChanged, scripts}.',
    source: 'A: Capabilities; SEP-2076: Capabilities',
  },
  'drafts/legacy-only': {
    behaviour: 'On 2026-07-28 there is neither the capability nor a method of the drafts.',
    source: 'SEP-2640: Reserved prefixes',
  },
  'drafts/optional': {
    behaviour: 'With --no-drafts, skills/list and skills/get of the extension remain on every connection.',
    source: 'skillgate: serve',
  },
  'drafts/list': {
    behaviour: 'One entry of skills/list carries the extension’s, draft A’s and draft B’s fields.',
    source: 'SEP-2640: skills/list; A: skills/list; SEP-2076: Skill',
  },
  'drafts/list-names': {
    behaviour: 'skills/read and skills/get find every listed name, also if skills share a name.',
    source: 'A: skills/list; SEP-2076: Skill.name',
  },
  'drafts/list-pages': {
    behaviour: 'Pages follow nextCursor without gap or repetition; an unknown cursor is -32602.',
    source: 'MCP: Pagination',
  },
  'drafts/list-changed': {
    behaviour: 'A change of the catalog sends notifications/skills/list_changed.',
    source: 'A: List changed notification; SEP-2076: Notifications',
  },
  'drafts/get-uri-or-name': {
    behaviour: 'skills/get answers {skill} for a uri and draft B’s shape for a name; neither is -32602.',
    source: 'SEP-2640: skills/get; SEP-2076: skills/get',
  },
  'draft-a/annotations': {
    behaviour: 'Annotations have audience and lastModified in ISO 8601.',
    source: 'A: Annotations',
  },
  'draft-a/read': {
    behaviour: 'skills/read returns full instructions, scripts, references, assets and metadata.',
    source: 'A: skills/read',
  },
  'draft-a/skill-not-found': {
    behaviour: 'An unknown or ambiguous skill is -32002; data names it.',
    source: 'A: Error handling',
  },
  'draft-a/read-reference': {
    behaviour: 'A reference can be named by path, by file name, and by file name without extension.',
    source: 'A: skills/read_reference',
  },
  'draft-a/reference-not-found': {
    behaviour: 'An unknown reference or a path outside the skill is -32004; data names the skill.',
    source: 'A: Error handling',
  },
  'draft-a/execute': {
    behaviour: 'If scripts are off, skills/execute returns isError and runs nothing.',
    source: 'A: skills/execute; skillgate: scripts are off by default',
  },
  'draft-a/execute-runs': {
    behaviour: 'If scripts are on, the capability says so and skills/execute returns the output as content.',
    source: 'A: skills/execute, Capabilities',
  },
  'draft-a/script-failed': {
    behaviour:
      'A script that fails is -32003 with exit code and the end of standard error; data names the skill.',
    source: 'A: Error handling',
  },
  'draft-a/internal': {
    behaviour: 'An unexpected failure is -32603, names the skill, and reveals nothing else.',
    source: 'A: Error handling',
  },
  'draft-b/get': {
    behaviour: 'skills/get by name returns description, instructions, dependencies and files.',
    source: 'SEP-2076: skills/get',
  },
  'draft-b/arguments': {
    behaviour: 'Declared arguments are inserted into the instructions; a missing required one is -32602.',
    source: 'SEP-2076: skills/get',
  },
  'draft-b/unknown': { behaviour: 'An unknown name is -32602.', source: 'SEP-2076: Error handling' },
  'draft-b/files': {
    behaviour: 'resources/read returns every file that skills/get names, in every trust tier.',
    source: 'SEP-2076: SkillFile',
  },
  'tools/schemas': {
    behaviour: 'Each profile’s tools have the committed names, texts and schemas, on both eras.',
    source: 'skillgate: tool profiles',
  },
  'tools/skills-mcp-list': {
    behaviour: 'list_skills takes no argument and returns {id, name, description} of every skill of a page.',
    source: 'tool dialect skills-mcp',
  },
  'tools/skills-mcp-get': {
    behaviour: 'get_skill(id) returns the absolute path, name, description and content without front matter.',
    source: 'tool dialect skills-mcp',
  },
  'tools/skill-engine-list': {
    behaviour: 'list_skills(limit = 50, offset = 0) returns that slice of the catalog.',
    source: 'tool dialect skill-engine',
  },
  'tools/skill-engine-search': {
    behaviour: 'search_skills(query, top_k = 10) returns the best first, with its location.',
    source: 'tool dialect skill-engine',
  },
  'tools/skill-engine-execute': {
    behaviour: 'If scripts are off, execute fails with EXECUTION_DISABLED.',
    source: 'tool dialect skill-engine; skillgate: no script is run',
  },
  'tools/instructions': {
    behaviour: 'The instructions of a profile name only its own tools, within 250 tokens.',
    source: 'skillgate: instructions',
  },
  'tools/association': {
    behaviour:
      'search_skills and load_skill return the tools that a skill names; invalid names get a diagnostic.',
    source: 'metadata["skillgate.tools"]; agentskills.io: allowed-tools',
  },
  'prompts/list': {
    behaviour: 'init-skills and use-skill are listed on every era.',
    source: 'MCP: prompts/list',
  },
  'prompts/init-skills': {
    behaviour: 'init-skills describes the tools and the catalog, and gives no orders.',
    source: 'tool dialect skills-mcp: prompt init-skills',
  },
  'prompts/use-skill': {
    behaviour: 'use-skill returns a skill’s instructions and the task; an unknown skill is -32602.',
    source: 'MCP: prompts/get',
  },
  'prompts/completion': {
    behaviour: 'Completion of the name of use-skill gives names that load.',
    source: 'MCP: completion/complete',
  },
  'context/block': {
    behaviour: '<available_skills> holds name, description and location of each skill, escaped.',
    source: 'agentskills.io: adding skills support',
  },
  'context/budget': {
    behaviour: 'With a budget, the block holds the skills nearest to the query, within the budget in tokens.',
    source: 'skillgate: context',
  },
  'extension/capability': {
    behaviour: 'A client gets the capability of the extension, with directoryRead.',
    source: 'SEP-2640: Capabilities',
  },
  'extension/list': {
    behaviour: 'skills/list returns uri, verbatim front matter and every file with digest and size.',
    source: 'SEP-2640: skills/list',
  },
  'extension/pages': {
    behaviour: 'Pages hold every skill once; an unknown cursor is -32602.',
    source: 'SEP-2640: skills/list; MCP: Pagination',
  },
  'extension/stable-pages': {
    behaviour: 'A list that changes between pages repeats no skill and omits no skill that stays.',
    source: 'MCP: Pagination',
  },
  'extension/get': {
    behaviour: 'skills/get and resources/read of a uri that is not served are -32602.',
    source: 'SEP-2640: skills/get; MCP 2026-07-28: Resources',
  },
  'extension/digests': {
    behaviour: 'Every file, text or binary, is served with the bytes of its digest.',
    source: 'SEP-2640: Integrity',
  },
  'extension/snapshot': {
    behaviour: 'A file that differs from the index is not served.',
    source: 'SEP-2640: Integrity',
  },
  'extension/verbatim': {
    behaviour: 'Nested metadata, unknown keys and long descriptions are listed as they are written.',
    source: 'SEP-2640: skills/list',
  },
  'extension/adapted': {
    behaviour: 'Front matter without a valid name or description is completed and marked.',
    source: 'SEP-2640: skills/list',
  },
  'extension/left-out': {
    behaviour:
      'A skill that has more than 512 files or 16 MiB is left out, counted and logged; its files are read.',
    source: 'SEP-2640: Limits',
  },
  'extension/page-size': {
    behaviour: 'A page of skills/list is below 64 KB.',
    source: 'skillgate: skills/list',
  },
  'extension/directory': {
    behaviour: 'resources/directory/read returns direct children; anything but a directory is -32602.',
    source: 'SEP-2640: resources/directory/read',
  },
  'extension/resources': {
    behaviour: 'resources/list has the skills of a small catalog with their own descriptions.',
    source: 'SEP-2640: Discovery',
  },
  'extension/templates': {
    behaviour: 'Completion of a partial URI gives matching URIs.',
    source: 'MCP: resources/templates/list, completion/complete',
  },
  'extension/list-changed': {
    behaviour: 'A change of the catalog sends notifications/resources/list_changed.',
    source: 'MCP: List changed notification',
  },
  'server/progress': {
    behaviour: 'A call that waits for indexing sends increasing progress if the caller asks for it.',
    source: 'MCP: Progress',
  },
  'server/cancellation': {
    behaviour: 'A cancelled call gets no further messages.',
    source: 'MCP: Cancellation',
  },
  'server/deterministic': {
    behaviour: 'Every server of a process lists the same tools in the same order.',
    source: 'MCP 2026-07-28: tools/list',
  },
  'http/both-eras': {
    behaviour: 'One address answers clients of both eras and of the older SDK.',
    source: 'MCP: Streamable HTTP',
  },
  'http/host-and-origin': {
    behaviour: 'A request for another host, or from a page of another origin, is refused.',
    source: 'MCP: Streamable HTTP, Security warning',
  },
  'http/loopback': {
    behaviour: 'Without authentication the server listens only on loopback.',
    source: 'skillgate: serve --http',
  },
  'http/body-limit': {
    behaviour: 'A body of more than a megabyte gets status 413.',
    source: 'skillgate: serve --http',
  },
  'http/subscriptions': {
    behaviour: 'A subscriber gets every change until the server ends.',
    source: 'MCP 2026-07-28: subscriptions/listen',
  },
  'http/drain': {
    behaviour: 'At SIGTERM the server answers pending requests, then ends.',
    source: 'skillgate: serve --http',
  },
  'http/hostile': {
    behaviour: 'The server answers any malformed input with a fitting error and keeps running.',
    source: 'MCP: Error handling; skillgate: hostile clients',
  },
  'upstream-tools/schemas': {
    behaviour:
      'load_skill returns server, description and input schema of the tools that the skill names, as data.',
    source: 'skillgate: tools of other servers',
  },
  'upstream-tools/gate': {
    behaviour: 'use_tool calls only tools that a loaded skill names.',
    source: 'skillgate: tools.gate',
  },
  'upstream-tools/constant': {
    behaviour: 'tools/list has use_tool exactly if tools.gate is not off, the same for the whole process.',
    source: 'MCP 2026-07-28: tools/list is deterministic; skillgate: tools.gate',
  },
  'upstream-tools/unchanged': {
    behaviour:
      'Content, structured content, isError and _meta of a result come unchanged from the other server.',
    source: 'skillgate: tools of other servers',
  },
  'upstream-tools/errors': {
    behaviour: 'A failure of the other server is a result with the server’s JSON-RPC code, message and data.',
    source: 'skillgate: tools of other servers; MCP: Error handling',
  },
  'upstream-tools/progress-and-cancellation': {
    behaviour: 'Progress of the other server reaches the caller; a cancelled call is cancelled there.',
    source: 'MCP: Progress, Cancellation',
  },
};
