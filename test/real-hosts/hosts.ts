/** The programs that are run: which version, how each is told where the model is, and how it takes a prompt without a person. */

const KEY = 'sk-scripted';
const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

export interface RealHost {
  /** As in `extensions/connect/hosts.ts`. */
  readonly id: string;
  readonly package: string;
  readonly program: string;
  /** Its folder of skills, below home. */
  readonly skills: string;
  /** For `connect`. */
  readonly connect: readonly string[];
  readonly env: (url: string) => Readonly<Record<string, string>>;
  /** Files of its user, below home. */
  readonly files?: (url: string) => Readonly<Record<string, string>>;
  /** Run once before the prompt. */
  readonly before?: (url: string) => readonly string[];
  readonly run: (prompt: string, url: string) => readonly string[];
  /** Its model calls tools from JavaScript. */
  readonly callsFromCode?: boolean;
  /** Of the model that it believes to speak with. */
  readonly windowTokens: number;
}

export const REAL_HOSTS: readonly RealHost[] = [
  {
    id: 'claude-code',
    package: '@anthropic-ai/claude-code@2.1.332',
    program: 'claude',
    skills: '.claude/skills',
    connect: ['--allow', '--hook'],
    env: (url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: KEY,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
    }),
    run: (prompt) => ['-p', prompt],
    windowTokens: 1_000_000,
  },
  {
    id: 'codex',
    package: '@openai/codex@0.171.0',
    program: 'codex',
    skills: '.agents/skills',
    connect: ['--hook'],
    env: () => ({ SCRIPTED_KEY: KEY }),
    files: () => ({ '.codex/.keep': '' }),
    run: (prompt, url) => [
      'exec',
      '--skip-git-repo-check',
      '--dangerously-bypass-hook-trust',
      ...[
        'model="gpt-6.1-sol"',
        'model_provider="scripted"',
        `model_providers.scripted={name="scripted",base_url="${url}/v1",env_key="SCRIPTED_KEY",wire_api="responses"}`,
        'check_for_update_on_startup=false',
        'analytics.enabled=false',
        'otel.exporter="none"',
        'approval_policy="never"',
        // Codex does not wait for a server otherwise, and on a busy machine would begin without it.
        ...(prompt.includes('mails') ? ['mcp_servers.skillgate.required=true'] : []),
      ].flatMap((setting) => ['-c', setting]),
      prompt,
    ],
    callsFromCode: true,
    windowTokens: 500_000,
  },
  {
    id: 'gemini-cli',
    package: '@google/gemini-cli@0.61.0',
    program: 'gemini',
    skills: '.gemini/skills',
    connect: ['--hide-skills', '--allow', '--hook'],
    env: (url) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: KEY, GEMINI_CLI_TRUST_WORKSPACE: 'true' }),
    files: () => ({
      '.gemini/settings.json': json({
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        security: { auth: { selectedType: 'gemini-api-key' } },
      }),
    }),
    run: (prompt) => ['-m', 'gemini-2.5-pro', '--approval-mode', 'yolo', '-p', prompt],
    windowTokens: 200_000,
  },
  {
    id: 'opencode',
    package: 'opencode-ai@1.18.33',
    program: 'opencode',
    skills: '.config/opencode/skills',
    connect: [],
    env: (url) => ({
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_CONFIG_CONTENT: json({
        autoupdate: false,
        share: 'disabled',
        model: 'scripted/scripted',
        provider: {
          scripted: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${url}/v1`, apiKey: KEY },
            models: {
              scripted: { name: 'scripted', tool_call: true, limit: { context: 200_000, output: 8_000 } },
            },
          },
        },
      }),
    }),
    files: () => ({ '.config/opencode/.keep': '' }),
    run: (prompt) => ['run', prompt],
    windowTokens: 200_000,
  },
  {
    id: 'copilot-cli',
    package: '@github/copilot@1.0.102',
    program: 'copilot',
    skills: '.copilot/skills',
    connect: [],
    env: (url) => ({
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_TYPE: 'openai',
      COPILOT_PROVIDER_API_KEY: KEY,
      COPILOT_MODEL: 'gpt-5.1-codex',
      COPILOT_OFFLINE: 'true',
      COPILOT_AUTO_UPDATE: 'false',
    }),
    run: (prompt) => ['--allow-all-tools', '-p', prompt],
    windowTokens: 200_000,
  },
  {
    id: 'cline',
    package: 'cline@3.0.65',
    program: 'cline',
    skills: '.cline/skills',
    connect: [],
    env: () => ({ CLINE_TELEMETRY_DISABLED: '1', CLINE_NO_AUTO_UPDATE: '1' }),
    files: () => ({ '.cline/.keep': '' }),
    before: (url) => ['auth', '-p', 'openai', '-k', KEY, '-m', 'scripted', '-b', `${url}/v1`],
    run: (prompt) => ['-P', 'openai', '-m', 'scripted', '-t', '60', prompt],
    windowTokens: 200_000,
  },
  {
    id: 'continue',
    package: '@continuedev/cli@1.5.47',
    program: 'cn',
    skills: '.continue/skills',
    connect: [],
    env: () => ({ CONTINUE_TELEMETRY_ENABLED: '0' }),
    files: (url) => ({
      '.continue/config.yaml': `name: local # mine
version: 1.0.0
schema: v1
models:
  - name: scripted
    provider: openai
    model: scripted
    apiBase: ${url}/v1
    apiKey: ${KEY}
    capabilities: [tool_use]
`,
    }),
    run: (prompt) => ['-p', '--auto', prompt],
    windowTokens: 200_000,
  },
  {
    id: 'qwen-code',
    package: '@qwen-code/qwen-code@0.24.4',
    program: 'qwen',
    skills: '.qwen/skills',
    connect: [],
    env: (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: KEY, OPENAI_MODEL: 'scripted' }),
    files: () => ({
      '.qwen/settings.json': json({
        general: { enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        security: { auth: { selectedType: 'openai' } },
      }),
    }),
    run: (prompt) => ['--approval-mode', 'yolo', '-p', prompt],
    windowTokens: 200_000,
  },
];
