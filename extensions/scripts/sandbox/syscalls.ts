/**
 * System calls that need more than a yes or no: those whose arguments decide, and those that are refused with an error of
 * their own. `allowed-calls.ts` has the allowed ones; any other fails with ENOSYS, as on an older kernel, and programs then do
 * without it. Source: Linux, arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h. Null: the
 * architecture has no such call.
 */

/** errno values that refused calls return. */
export const ERRNO = { EPERM: 1, ENOSYS: 38, EOPNOTSUPP: 95, EAFNOSUPPORT: 97 } as const;

export type Architecture = 'x64' | 'arm64';

interface Refusal {
  readonly name: string;
  readonly x64: number | null;
  readonly arm64: number | null;
  readonly errno: number;
}

const refused = (
  name: string,
  x64: number | null,
  arm64: number | null,
  errno: number = ERRNO.EPERM,
): Refusal => ({ name, x64, arm64, errno });

/** Calls whose users report the error that the kernel gives to users without privileges. */
export const REFUSED: readonly Refusal[] = [
  // Other processes' memory and descriptors.
  refused('ptrace', 101, 117),
  refused('process_vm_readv', 310, 270),
  refused('process_vm_writev', 311, 271),
  refused('process_madvise', 440, 440),
  refused('kcmp', 312, 272),
  refused('pidfd_getfd', 438, 438),
  // Namespaces and mounts.
  refused('unshare', 272, 97),
  refused('setns', 308, 268),
  refused('mount', 165, 40),
  refused('umount2', 166, 39),
  refused('pivot_root', 155, 41),
  refused('chroot', 161, 51),
  refused('open_tree', 428, 428),
  refused('move_mount', 429, 429),
  refused('fsopen', 430, 430),
  refused('fsconfig', 431, 431),
  refused('fsmount', 432, 432),
  refused('fspick', 433, 433),
  refused('mount_setattr', 442, 442),
  refused('name_to_handle_at', 303, 264),
  refused('open_by_handle_at', 304, 265),
  // Large parts of the kernel with a history of vulnerabilities.
  refused('bpf', 321, 280),
  refused('perf_event_open', 298, 241),
  refused('userfaultfd', 323, 282),
  refused('add_key', 248, 217),
  refused('request_key', 249, 218),
  refused('keyctl', 250, 219),
  refused('fanotify_init', 300, 262),
  // Attributes are kernel memory that no limit counts. Programs that copy files expect this error.
  refused('setxattr', 188, 5, ERRNO.EOPNOTSUPP),
  refused('lsetxattr', 189, 6, ERRNO.EOPNOTSUPP),
  refused('fsetxattr', 190, 7, ERRNO.EOPNOTSUPP),
  refused('setxattrat', 463, 463, ERRNO.EOPNOTSUPP),
  // The whole machine. These fail without capabilities anyway; here they fail earlier.
  refused('init_module', 175, 105),
  refused('finit_module', 313, 273),
  refused('delete_module', 176, 106),
  refused('kexec_load', 246, 104),
  refused('kexec_file_load', 320, 294),
  refused('reboot', 169, 142),
  refused('swapon', 167, 224),
  refused('swapoff', 168, 225),
  refused('syslog', 103, 116),
  refused('acct', 163, 89),
  refused('quotactl', 179, 60),
  refused('quotactl_fd', 443, 443),
  refused('settimeofday', 164, 170),
  refused('adjtimex', 159, 171),
  refused('clock_settime', 227, 112),
  refused('clock_adjtime', 305, 266),
  refused('sethostname', 170, 161),
  refused('setdomainname', 171, 162),
  refused('vhangup', 153, 58),
  refused('iopl', 172, null),
  refused('ioperm', 173, null),
  refused('modify_ldt', 154, null),
];

/**
 * Calls that are allowed or refused by their arguments. `clone3` passes its flags in memory, where a filter cannot read them:
 * it is not allowed, and programs fall back to `clone`.
 */
export const LOOKED_INTO = {
  clone: { x64: 56, arm64: 220 },
  socket: { x64: 41, arm64: 198 },
  socketpair: { x64: 53, arm64: 199 },
} as const;
