/** Scripts that run nothing: they record their requests and return what the test provides. */

import type {
  Caller,
  Confirm,
  RunOptions,
  ScriptOutcome,
  ScriptRequest,
  Scripts,
} from '../../../src/gateway/scripts.ts';

export const OUTCOME: ScriptOutcome = {
  skill: 'documents/pdf-forms',
  digest: 'd'.repeat(64),
  path: 'scripts/fill.py',
  runId: 'run1',
  exitCode: 0,
  signal: null,
  killedBy: null,
  stdout: '{"filled":2}\n',
  stderr: '',
  truncated: false,
  json: { filled: 2 },
  files: [{ path: 'out.txt', uri: 'skill-output://run1/out.txt', size: 4, mimeType: 'text/plain' }],
  leftOut: [],
  wanted: [],
  traffic: { reached: [], refused: [] },
  durationMs: 12,
  cpuMs: 10,
  peakBytes: 1_000,
};

export function fakeScripts(
  confirm: Confirm,
  run: (options: RunOptions) => Promise<Partial<ScriptOutcome>> = async () => ({}),
) {
  const asked: ScriptRequest[] = [];
  const callers: Caller[] = [];
  let runs = 0;
  const scripts: Scripts = {
    confirm,
    async prepare(request, caller) {
      asked.push(request);
      callers.push(caller);
      await caller.gateway.find({ skill: request.skill });
      return {
        skill: OUTCOME.skill,
        digest: OUTCOME.digest,
        path: OUTCOME.path,
        command: ['python3', '/skill/scripts/fill.py', '$(id)'],
        domains: [],
        async run(options = {}) {
          runs += 1;
          return { ...OUTCOME, ...(await run(options)) };
        },
      };
    },
    output: (uri) =>
      uri === 'skill-output://run1/out.txt'
        ? { bytes: Buffer.from('kept'), mimeType: 'text/plain' }
        : uri === 'skill-output://run1/b.bin'
          ? { bytes: Buffer.from([0xff, 0xfe]), mimeType: 'application/octet-stream' }
          : null,
    close: async () => {},
  };
  return { scripts, asked, callers, runs: () => runs };
}
