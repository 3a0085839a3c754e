/**
 * What a sandbox contains, as arguments of bubblewrap: the visible system folders, what is writable, the user names
 * and the environment. Pure: `host` answers what exists on this machine.
 *
 * One tmpfs of a fixed size holds everything writable (work folder, home, temporary files, shared memory); the
 * root, `/dev` and the given files are read-only. So the kernel bounds what a run can write, and none of it reaches
 * a disk.
 */

import { type GivenFile, READ_ONLY_FOLDER, type RunRequest, WORK_FOLDER } from './sandbox.ts';

/** What this module needs to know about the machine. */
export interface Host {
  /**
   * The target of a symbolic link, as written; null for anything else that exists; undefined if nothing exists
   * there.
   */
  readonly linkAt: (path: string) => string | null | undefined;
}

/** Bytes that bubblewrap reads from a descriptor. The caller opens it and inserts its number. */
interface Supply {
  readonly bytes: Uint8Array;
}

/** An argument, or a supply that becomes the number of its descriptor. */
export type Part = string | Supply;

/** The user inside: nobody, on every Linux, whichever user runs it outside. */
const NOBODY = '65534';
/** The only writable place. */
export const SCRATCH = '/tmp';
/** Standard input is a file: programs may open /dev/stdin, which fails for a socket. */
export const STDIN_FILE = '/run/stdin';
/** Where programs from outside the system folders appear. */
export const PROGRAMS_FOLDER = '/run/programs';

/** Where the proxy's socket appears, and the port on which programs look for a proxy. */
export const PROXY_SOCKET = '/run/proxy.sock';
export const PROXY_PORT = 3_128;

/** The system folders that programs need. /etc is generated, except for what the loader and the alternatives need. */
const SYSTEM = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];
const ETC = ['/etc/ld.so.cache', '/etc/alternatives', '/etc/localtime'];
/** CA certificates, for runs with a proxy. They contain no private keys. */
const CERTIFICATES = ['/etc/ssl/certs', '/etc/pki/tls/certs', '/etc/pki/ca-trust/extracted'];
/**
 * What `/proc` says of the machine, and no program needs: how it was started and built, its devices, its other mounts.
 * Files and folders; those that a kernel does not have are left out.
 */
const MACHINE_FILES = [
  'cmdline',
  'config.gz',
  'consoles',
  'diskstats',
  'dma',
  'interrupts',
  'iomem',
  'ioports',
  'kallsyms',
  'kcore',
  'key-users',
  'keys',
  'kmsg',
  'modules',
  'partitions',
  'sched_debug',
  'softirqs',
  'swaps',
  'sysrq-trigger',
  'timer_list',
  'vmallocinfo',
  'zoneinfo',
].map((name) => `/proc/${name}`);
const MACHINE_FOLDERS = ['acpi', 'asound', 'bus', 'driver', 'fs', 'irq', 'scsi'].map(
  (name) => `/proc/${name}`,
);
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom'];
const FOLDERS_OF_PROGRAMS = ['/usr/local/bin', '/usr/bin', '/bin'];
const PATH = [...FOLDERS_OF_PROGRAMS, PROGRAMS_FOLDER].join(':');

export { FOLDERS_OF_PROGRAMS };

/** Generated, so that no user name of this machine appears. */
const MADE_UP: Readonly<Record<string, string>> = {
  '/etc/passwd': `nobody:x:${NOBODY}:${NOBODY}:nobody:/tmp/home:/bin/sh\n`,
  '/etc/group': `nogroup:x:${NOBODY}:\n`,
  '/etc/hosts': '127.0.0.1 localhost sandbox\n',
  '/etc/nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files\n',
};

interface ConfinedRun extends Pick<RunRequest, 'env' | 'folders' | 'readOnly' | 'work' | 'stdin'> {
  readonly workBytes: number;
  /** Programs outside the system folders: name → path of the file. */
  readonly programs: Readonly<Record<string, string>>;
  /** Path of the proxy's Unix socket; null for a run without network. */
  readonly proxySocket: string | null;
}

/** All arguments except bubblewrap's own descriptors (`--seccomp`, `--json-status-fd`) and the command. */
export function confinement(run: ConfinedRun, host: Host): Part[] {
  const { folders = [] } = run;
  const environment = {
    ...run.env,
    ...(run.proxySocket !== null && PROXY_VARIABLES),
    PATH,
    HOME: `${SCRATCH}/home`,
    TMPDIR: SCRATCH,
    LANG: 'C.UTF-8',
  };
  return [
    ...['--unshare-all', '--unshare-user', '--uid', NOBODY, '--gid', NOBODY, '--hostname', 'sandbox'],
    // Bubblewrap's own init would run without the system call filter and be reachable by /proc/1/mem, so the launcher
    // is process 1.
    ...['--as-pid-1', '--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--clearenv'],
    ...Object.entries(environment).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--ro-bind', '/usr', '/usr'],
    ...SYSTEM.flatMap((path) => systemFolder(path, host)),
    ...ETC.flatMap((path) => ['--ro-bind-try', path, path]),
    ...(run.proxySocket === null ? [] : networkArguments(run.proxySocket)),
    ...Object.entries(MADE_UP).flatMap(([path, text]) => fileAt(path, Buffer.from(text), '0444')),
    ...['--proc', '/proc'],
    ...MACHINE_FILES.filter(isOn(host)).flatMap((path) => ['--ro-bind', '/dev/null', path]),
    ...MACHINE_FOLDERS.filter(isOn(host)).flatMap((path) => ['--tmpfs', path, '--remount-ro', path]),
    ...['--tmpfs', '/dev'],
    ...DEVICES.flatMap((name) => ['--dev-bind', `/dev/${name}`, `/dev/${name}`]),
    ...['fd', 'stdin:fd/0', 'stdout:fd/1', 'stderr:fd/2'].flatMap(deviceLink),
    ...['--symlink', `${SCRATCH}/shm`, '/dev/shm', '--remount-ro', '/dev'],
    ...['--symlink', SCRATCH, '/var/tmp'],
    ...Object.entries(run.programs).flatMap(([name, file]) => [
      '--ro-bind',
      file,
      `${PROGRAMS_FOLDER}/${name}`,
    ]),
    ...fileAt(STDIN_FILE, run.stdin, '0444'),
    ...filesBelow(READ_ONLY_FOLDER, run.readOnly, '0555'),
    ...['--size', String(run.workBytes), '--tmpfs', SCRATCH],
    ...[WORK_FOLDER, `${SCRATCH}/home`, `${SCRATCH}/shm`].flatMap((path) => ['--dir', path]),
    ...filesBelow(WORK_FOLDER, run.work, '0644'),
    ...folders.flatMap((path) => ['--ro-bind', path, path]),
    ...['--remount-ro', '/', '--chdir', WORK_FOLDER],
  ];
}

const isOn = (host: Host) => (path: string) => host.linkAt(path) !== undefined;

const PROXY_URL = `http://127.0.0.1:${PROXY_PORT}`;
const DIRECT = 'localhost,127.0.0.1,::1';
const PROXY_VARIABLES: Readonly<Record<string, string>> = {
  HTTP_PROXY: PROXY_URL,
  HTTPS_PROXY: PROXY_URL,
  http_proxy: PROXY_URL,
  https_proxy: PROXY_URL,
  NO_PROXY: DIRECT,
  no_proxy: DIRECT,
  // Node.js reads the proxy variables only if this one is set.
  NODE_USE_ENV_PROXY: '1',
};

const networkArguments = (proxySocket: string) => [
  ...CERTIFICATES.flatMap((path) => ['--ro-bind-try', path, path]),
  ...['--ro-bind', proxySocket, PROXY_SOCKET],
];

function systemFolder(path: string, host: Host): string[] {
  const target = host.linkAt(path);
  if (target === undefined) return [];
  return target === null ? ['--ro-bind', path, path] : ['--symlink', target, path];
}

function deviceLink(link: string): string[] {
  const [name = '', target = 'fd'] = link.split(':');
  return ['--symlink', `/proc/self/${target}`, `/dev/${name}`];
}

const fileAt = (path: string, bytes: Uint8Array, mode: string): Part[] => [
  '--perms',
  mode,
  '--file',
  { bytes },
  path,
];

const filesBelow = (folder: string, files: readonly GivenFile[], mode: string): Part[] => [
  '--dir',
  folder,
  ...files.flatMap(({ path, bytes }) => fileAt(`${folder}/${path}`, bytes, mode)),
];
