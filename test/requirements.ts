/**
 * What the dialects promise, each with its source. Tests cite an id in square brackets at the end of their names;
 * `requirements.test.ts` fails for an id that no test cites and for a citation of none.
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
    behaviour: 'A connection of an older revision is told skills: {listChanged, scripts}.',
    source: 'A: Capabilities; SEP-2076: Capabilities',
  },
  'drafts/legacy-only': {
    behaviour: 'On 2026-07-28 neither the capability nor a method of the drafts is there.',
    source: 'SEP-2640: Reserved prefixes',
  },
  'drafts/optional': {
    behaviour: '--no-drafts leaves the extension alone with skills/list and skills/get on every connection.',
    source: 'skillgate: serve',
  },
  'drafts/list': {
    behaviour: 'One entry of skills/list carries the extension’s, draft A’s and draft B’s fields.',
    source: 'SEP-2640: skills/list; A: skills/list; SEP-2076: Skill',
  },
  'drafts/list-names': {
    behaviour: 'Every listed name is found by skills/read and skills/get, also where skills share a name.',
    source: 'A: skills/list; SEP-2076: Skill.name',
  },
  'drafts/list-pages': {
    behaviour: 'Pages follow nextCursor without gap or repetition; a foreign cursor is -32602.',
    source: 'MCP: Pagination',
  },
  'drafts/list-changed': {
    behaviour: 'A changed catalog is announced by notifications/skills/list_changed.',
    source: 'A: List changed notification; SEP-2076: Notifications',
  },
  'drafts/get-tells-apart': {
    behaviour: 'skills/get answers {skill} for a uri and draft B’s shape for a name; neither is -32602.',
    source: 'SEP-2640: skills/get; SEP-2076: skills/get',
  },
  'draft-a/annotations': {
    behaviour: 'Annotations have audience and lastModified in ISO 8601.',
    source: 'A: Annotations',
  },
  'draft-a/read': {
    behaviour: 'skills/read gives whole instructions, scripts, references, assets and metadata.',
    source: 'A: skills/read',
  },
  'draft-a/skill-not-found': {
    behaviour: 'An unknown or ambiguous skill is -32002; data names it.',
    source: 'A: Error handling',
  },
  'draft-a/read-reference': {
    behaviour: 'A reference is found by path, by file name, and by file name without extension.',
    source: 'A: skills/read_reference',
  },
  'draft-a/reference-not-found': {
    behaviour: 'An unknown reference, and a path out of the skill, is -32004; data names the skill.',
    source: 'A: Error handling',
  },
  'draft-a/execute': {
    behaviour: 'skills/execute refuses with isError and runs nothing.',
    source: 'A: skills/execute; skillgate: no script is run',
  },
  'draft-a/internal': {
    behaviour: 'An unforeseen failure is -32603, names the skill, and gives nothing else away.',
    source: 'A: Error handling',
  },
  'draft-b/get': {
    behaviour: 'skills/get by name gives description, instructions, dependencies and files.',
    source: 'SEP-2076: skills/get',
  },
  'draft-b/arguments': {
    behaviour: 'Declared arguments are put into the instructions; a missing required one is -32602.',
    source: 'SEP-2076: skills/get',
  },
  'draft-b/unknown': { behaviour: 'An unknown name is -32602.', source: 'SEP-2076: Error handling' },
  'draft-b/files': {
    behaviour: 'Every file that skills/get names is read by resources/read, whatever tier the skill is of.',
    source: 'SEP-2076: SkillFile',
  },
  'tools/schemas': {
    behaviour: 'Each profile’s tools have the committed names, texts and schemas, on both eras.',
    source: 'skillgate: tool profiles',
  },
  'tools/skills-mcp-list': {
    behaviour: 'list_skills takes no argument and gives {id, name, description} of every skill of a page.',
    source: 'tool dialect skills-mcp',
  },
  'tools/skills-mcp-get': {
    behaviour: 'get_skill(id) gives the absolute path, name, description and content without front matter.',
    source: 'tool dialect skills-mcp',
  },
  'tools/skill-engine-list': {
    behaviour: 'list_skills(limit = 50, offset = 0) gives that slice of the catalog.',
    source: 'tool dialect skill-engine',
  },
  'tools/skill-engine-search': {
    behaviour: 'search_skills(query, top_k = 10) gives the best first and says where it lies.',
    source: 'tool dialect skill-engine',
  },
  'tools/skill-engine-execute': {
    behaviour: 'execute refuses with EXECUTION_DISABLED.',
    source: 'tool dialect skill-engine; skillgate: no script is run',
  },
  'tools/instructions': {
    behaviour: 'Instructions of a profile name its own tools only, within 250 tokens.',
    source: 'skillgate: instructions',
  },
  'tools/association': {
    behaviour:
      'search_skills and load_skill give the tools that a skill names; impossible names are diagnosed.',
    source: 'metadata["io.modelcontextprotocol/tools"]; agentskills.io: allowed-tools',
  },
  'prompts/list': {
    behaviour: 'init-skills and use-skill are listed on every era.',
    source: 'MCP: prompts/list',
  },
  'prompts/init-skills': {
    behaviour: 'init-skills says what `skillgate instructions` prints.',
    source: 'tool dialect skills-mcp: prompt init-skills',
  },
  'prompts/use-skill': {
    behaviour: 'use-skill gives a skill’s instructions and the task; an unknown skill is -32602.',
    source: 'MCP: prompts/get',
  },
  'prompts/completion': {
    behaviour: 'The name of use-skill is completed to names that load.',
    source: 'MCP: completion/complete',
  },
  'context/block': {
    behaviour: '<available_skills> holds name, description and location of each skill, escaped.',
    source: 'agentskills.io: adding skills support',
  },
  'context/budget': {
    behaviour:
      'Within a budget the block holds the skills nearest to the query, never more tokens than asked.',
    source: 'skillgate: context',
  },
  'extension/capability': {
    behaviour: 'A client is told the extension, with directoryRead.',
    source: 'SEP-2640: Capabilities',
  },
  'extension/list': {
    behaviour: 'skills/list gives uri, verbatim front matter and every file with digest and size.',
    source: 'SEP-2640: skills/list',
  },
  'extension/pages': {
    behaviour: 'Pages hold every skill once; a foreign cursor is -32602.',
    source: 'SEP-2640: skills/list; MCP: Pagination',
  },
  'extension/stable-pages': {
    behaviour: 'A list that changes between pages repeats no skill and leaves none out that stays.',
    source: 'MCP: Pagination',
  },
  'extension/get': {
    behaviour: 'skills/get and resources/read of what is not served are -32602.',
    source: 'SEP-2640: skills/get; MCP 2026-07-28: Resources',
  },
  'extension/digests': {
    behaviour: 'Every file is served with the bytes that its digest is of, text and binary.',
    source: 'SEP-2640: Integrity',
  },
  'extension/snapshot': {
    behaviour: 'What is not as the index has it is not served.',
    source: 'SEP-2640: Integrity',
  },
  'extension/limits': {
    behaviour: 'A skill of more than 512 files or 16 MiB, or that breaks a rule, is left out and logged.',
    source: 'SEP-2640: Limits',
  },
  'extension/directory': {
    behaviour: 'resources/directory/read gives direct children; what is no directory is -32602.',
    source: 'SEP-2640: resources/directory/read',
  },
  'extension/resources': {
    behaviour: 'resources/list names the skills of a small catalog by their own descriptions.',
    source: 'SEP-2640: Discovery',
  },
  'extension/templates': {
    behaviour: 'URIs are completed from what somebody has begun to write.',
    source: 'MCP: resources/templates/list, completion/complete',
  },
  'extension/list-changed': {
    behaviour: 'A changed catalog is announced by notifications/resources/list_changed.',
    source: 'MCP: List changed notification',
  },
  'server/progress': {
    behaviour: 'A call that waits for indexing tells its progress, which rises, where its caller asks.',
    source: 'MCP: Progress',
  },
  'server/cancellation': {
    behaviour: 'A cancelled call is told nothing more.',
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
    behaviour: 'A request that names another host, or comes from a page of another origin, is refused.',
    source: 'MCP: Streamable HTTP, Security warning',
  },
  'http/loopback': {
    behaviour: 'Without authentication no address is served that others could reach.',
    source: 'skillgate: serve --http',
  },
  'http/body-limit': {
    behaviour: 'A body of more than a megabyte is answered 413.',
    source: 'skillgate: serve --http',
  },
  'http/subscriptions': {
    behaviour: 'A subscriber hears of every change until the server ends.',
    source: 'MCP 2026-07-28: subscriptions/listen',
  },
  'http/drain': {
    behaviour: 'At SIGTERM what was asked is answered, then the server ends.',
    source: 'skillgate: serve --http',
  },
  'http/hostile': {
    behaviour: 'Whatever is sent, the server answers with an error that fits and goes on.',
    source: 'MCP: Error handling; skillgate: hostile clients',
  },
  'upstream-tools/schemas': {
    behaviour: 'load_skill gives server, words and input schema of tools that the skill names, as data.',
    source: 'skillgate: tools of other servers',
  },
  'upstream-tools/gate': {
    behaviour: 'use_tool calls what a loaded skill names, and nothing before it was loaded.',
    source: 'skillgate: tools.gate',
  },
  'upstream-tools/constant': {
    behaviour: 'tools/list has use_tool exactly where tools.gate is not off, the same for the whole process.',
    source: 'MCP 2026-07-28: tools/list is deterministic; skillgate: tools.gate',
  },
  'upstream-tools/unchanged': {
    behaviour: 'Content, structured content, isError and _meta of a result are the other server’s.',
    source: 'skillgate: tools of other servers',
  },
  'upstream-tools/errors': {
    behaviour: 'A failure of the other server is a result with its own JSON-RPC code, message and data.',
    source: 'skillgate: tools of other servers; MCP: Error handling',
  },
  'upstream-tools/progress-and-cancellation': {
    behaviour: 'Progress of the other server reaches the caller; a cancelled call is cancelled there.',
    source: 'MCP: Progress, Cancellation',
  },
};
