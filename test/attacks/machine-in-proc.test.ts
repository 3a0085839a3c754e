/** A script does not see how the machine was started, or what it consists of. */

import { expect, it } from 'vitest';
import { openSandbox } from '../../src/sandbox/public.ts';

const sandbox = openSandbox({
  platform: process.platform,
  architecture: process.arch,
  uid: process.getuid?.() ?? -1,
  path: process.env.PATH ?? '',
  programs: {},
});
const { problems } = await sandbox.status();
const MIB = 2 ** 20;

const PROBE = `
for file in cmdline config.gz modules kallsyms interrupts iomem partitions diskstats swaps keys; do
  [ -e /proc/$file ] && [ "$(cat /proc/$file 2>/dev/null | wc -c)" != 0 ] && echo "/proc/$file"
done
for folder in acpi bus driver fs irq scsi; do
  [ -d /proc/$folder ] && [ -n "$(ls /proc/$folder)" ] && echo "/proc/$folder"
done
cat /proc/self/status | head -1
`;

it.skipIf(problems.length > 0)('in /proc, which still describes its own processes', async () => {
  const { stdout, stderr, exitCode } = await sandbox.run({
    command: 'sh',
    args: ['-c', PROBE],
    readOnly: [],
    work: [],
    stdin: new Uint8Array(),
    env: {},
    limits: {
      wallMs: 20_000,
      cpuMs: 10_000,
      memoryBytes: 256 * MIB,
      processes: 16,
      fileBytes: MIB,
      workBytes: MIB,
      outputBytes: MIB,
    },
    keep: { files: 0, bytes: 0 },
  });
  expect(Buffer.from(stderr).toString()).toBe('');
  expect(Buffer.from(stdout).toString().trim().split('\n')).toEqual([expect.stringMatching(/^Name:/)]);
  expect(exitCode).toBe(0);
});
