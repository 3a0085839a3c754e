/**
 * What the inside of a sandbox is made of, as arguments of bubblewrap: which folders of the system are seen, what is
 * writable, which names and which environment there are. Pure: what exists on this machine is asked of `host`.
 *
 * One tmpfs of a fixed size holds everything that can be written (work folder, home, temporary files, shared memory);
 * the root, `/dev` and the given files are read-only. So what a run may fill is bounded by the kernel, and nothing
 * of it ever reaches a disk.
 */

import { type GivenFile, READ_ONLY_FOLDER, type RunRequest, WORK_FOLDER } from './sandbox.ts';

/** What is asked of the machine. */
export interface Host {
  /** Where a symbolic link leads as it is written; null for anything else that exists; undefined where nothing does. */
  readonly linkAt: (path: string) => string | null | undefined;
}

/** Something that bubblewrap reads from a descriptor: the caller opens it and puts its number in the place. */
export interface Supply {
  readonly bytes: Uint8Array;
}

/** An argument, or the number of the descriptor from which `supply` is read. */
export type Part = string | Supply;

/** The inner user: nobody, as on every Linux, whoever it is outside. */
const NOBODY = '65534';
/** The only writable place. */
export const SCRATCH = '/tmp';
/** Standard input is a file: programs open /dev/stdin, which cannot be done with a socket. */
export const STDIN_FILE = '/run/stdin';
/** Where programs outside the system's folders are shown. */
export const PROGRAMS_FOLDER = '/run/programs';

/** Where the way out is seen, and where programs look for it. */
export const PROXY_SOCKET = '/run/proxy.sock';
export const PROXY_PORT = 3_128;

/** The system as programs need it; /etc is made up but for what the loader and the alternatives need. */
const SYSTEM = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];
const ETC = ['/etc/ld.so.cache', '/etc/alternatives', '/etc/localtime'];
/** Whom to trust, for runs that reach others. No key is in them. */
const CERTIFICATES = ['/etc/ssl/certs', '/etc/pki/tls/certs', '/etc/pki/ca-trust/extracted'];
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom'];
const FOLDERS_OF_PROGRAMS = ['/usr/local/bin', '/usr/bin', '/bin'];
export const PATH = [...FOLDERS_OF_PROGRAMS, PROGRAMS_FOLDER].join(':');
export { FOLDERS_OF_PROGRAMS };

/** No name of this machine's users is in it. */
const MADE_UP: Readonly<Record<string, string>> = {
  '/etc/passwd': `nobody:x:${NOBODY}:${NOBODY}:nobody:/tmp/home:/bin/sh\n`,
  '/etc/group': `nogroup:x:${NOBODY}:\n`,
  '/etc/hosts': '127.0.0.1 localhost sandbox\n',
  '/etc/nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files\n',
};

export interface ConfinedRun extends Pick<RunRequest, 'env' | 'readOnly' | 'work' | 'stdin'> {
  readonly workBytes: number;
  /** Programs outside the system's folders: name and the file that it is. */
  readonly programs: Readonly<Record<string, string>>;
  /** Path of the Unix socket by which it reaches others; null where it reaches nobody. */
  readonly wayOut: string | null;
}

/** All arguments but the descriptors of its own (`--seccomp`, `--json-status-fd`) and the command. */
export function confinement(run: ConfinedRun, host: Host): Part[] {
  const environment = {
    ...run.env,
    ...(run.wayOut !== null && PROXY_VARIABLES),
    PATH,
    HOME: `${SCRATCH}/home`,
    TMPDIR: SCRATCH,
    LANG: 'C.UTF-8',
  };
  return [
    ...['--unshare-all', '--unshare-user', '--uid', NOBODY, '--gid', NOBODY, '--hostname', 'sandbox'],
    // Bubblewrap's own first process would be under no filter, and within reach by /proc/1/mem: the gate takes its place.
    ...['--as-pid-1', '--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--clearenv'],
    ...Object.entries(environment).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--ro-bind', '/usr', '/usr'],
    ...SYSTEM.flatMap((path) => systemFolder(path, host)),
    ...ETC.flatMap((path) => ['--ro-bind-try', path, path]),
    ...(run.wayOut === null ? [] : networkOf(run.wayOut)),
    ...Object.entries(MADE_UP).flatMap(([path, text]) => fileAt(path, Buffer.from(text), '0444')),
    ...['--proc', '/proc', '--tmpfs', '/dev'],
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
    ...['--remount-ro', '/', '--chdir', WORK_FOLDER],
  ];
}

const PROXY_URL = `http://127.0.0.1:${PROXY_PORT}`;
const DIRECT = 'localhost,127.0.0.1,::1';
const PROXY_VARIABLES: Readonly<Record<string, string>> = {
  HTTP_PROXY: PROXY_URL,
  HTTPS_PROXY: PROXY_URL,
  http_proxy: PROXY_URL,
  https_proxy: PROXY_URL,
  NO_PROXY: DIRECT,
  no_proxy: DIRECT,
  // Node.js looks at the others only where it is told to.
  NODE_USE_ENV_PROXY: '1',
};

const networkOf = (wayOut: string) => [
  ...CERTIFICATES.flatMap((path) => ['--ro-bind-try', path, path]),
  ...['--ro-bind', wayOut, PROXY_SOCKET],
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
