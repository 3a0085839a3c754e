/** A script does not see how the machine was started, or what it consists of. */

import { expect, it } from 'vitest';
import { inSandbox, sandboxed } from './in-sandbox.ts';

const PROBE = `
for file in cmdline config.gz modules kallsyms interrupts iomem partitions diskstats swaps keys; do
  [ -e /proc/$file ] && [ "$(cat /proc/$file 2>/dev/null | wc -c)" != 0 ] && echo "/proc/$file"
done
for folder in acpi bus driver fs irq scsi; do
  [ -d /proc/$folder ] && [ -n "$(ls /proc/$folder)" ] && echo "/proc/$folder"
done
cat /proc/self/status | head -1
`;

it.skipIf(!sandboxed)('in /proc, which still describes its own processes', async () => {
  const { stdout, stderr, exitCode } = await inSandbox('sh', ['-c', PROBE]);
  expect(stderr).toBe('');
  expect(stdout.trim().split('\n')).toEqual([expect.stringMatching(/^Name:/)]);
  expect(exitCode).toBe(0);
});
