/**
 * The kernel's entrance: a script may make the system calls that are listed and no other, and ordinary programs need no other.
 */

import { describe, expect, it } from 'vitest';
import { inSandbox, sandboxed } from './in-sandbox.ts';

/** Calls that reach other processes, other mounts, the kernel itself, or memory that nothing limits: x64, arm64. */
const DANGEROUS: Readonly<Record<string, readonly [number | null, number | null]>> = {
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  process_madvise: [440, 440],
  kcmp: [312, 272],
  pidfd_getfd: [438, 438],
  unshare: [272, 97],
  setns: [308, 268],
  clone3: [435, 435],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  name_to_handle_at: [303, null],
  open_by_handle_at: [304, null],
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  fanotify_init: [300, 262],
  fanotify_mark: [301, 263],
  seccomp: [317, 277],
  landlock_create_ruleset: [444, 444],
  memfd_create: [319, 279],
  memfd_secret: [447, 447],
  shmget: [29, 194],
  shmat: [30, 196],
  msgget: [68, 186],
  semget: [64, 190],
  mq_open: [240, 180],
  io_setup: [206, 0],
  vmsplice: [278, 75],
  splice: [275, 76],
  tee: [276, 77],
  sync: [162, 81],
  syncfs: [306, 267],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  syslog: [103, 116],
  acct: [163, 89],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  settimeofday: [164, 170],
  adjtimex: [159, 171],
  clock_settime: [227, 112],
  clock_adjtime: [305, 266],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  vhangup: [153, 58],
  iopl: [172, null],
  ioperm: [173, null],
  modify_ldt: [154, null],
  personality: [135, 92],
  capset: [126, 91],
  mbind: [237, 235],
  set_mempolicy: [238, 237],
  migrate_pages: [256, 238],
  move_pages: [279, 239],
  lookup_dcookie: [212, 18],
  nfsservctl: [180, 42],
  uselib: [134, null],
};
/** linux/errno.h: EPERM and ENOSYS. */
const REFUSED = [1, 38];
/** Beyond every number that a kernel uses today: what a newer one adds is closed. */
const UNKNOWN = [470, 500, 600, 1_000];

/** Calls each number with arguments that are invalid (-1): a call that is let through answers EINVAL, EFAULT or EBADF. */
const CALLS = `
import ctypes, json, sys
libc = ctypes.CDLL(None, use_errno=True)
found = {}
for number in json.loads(sys.argv[1]):
    ctypes.set_errno(0)
    libc.syscall(number, *[ctypes.c_long(-1)] * 6)
    found[number] = ctypes.get_errno()
print(json.dumps(found))
`;

describe.skipIf(!sandboxed)('system calls in the sandbox', () => {
  it('fail, every one that could reach out of it, and those of kernels to come', {
    timeout: 120_000,
  }, async () => {
    const at = process.arch === 'x64' ? 0 : 1;
    const numbers = Object.values(DANGEROUS).flatMap((pair) => pair[at] ?? []);
    const { stdout, stderr } = await inSandbox('python3', [
      '-c',
      CALLS,
      JSON.stringify([...numbers, ...UNKNOWN]),
    ]);
    expect(stderr).toBe('');
    const errors = new Map(
      Object.entries(JSON.parse(stdout)).map(([number, error]) => [Number(number), error]),
    );
    const names = Object.entries(DANGEROUS).filter(([, pair]) => pair[at] !== null);
    const passed = names.filter(([, pair]) => !REFUSED.includes(Number(errors.get(pair[at] ?? -1))));
    expect(passed.map(([name, pair]) => [name, errors.get(pair[at] ?? -1)])).toEqual([]);
    for (const number of UNKNOWN) expect(errors.get(number)).toBe(38);
  });

  const work = [{ path: 'a.txt', bytes: Buffer.from('pear\napple\npear\n') }];

  it('suffice for Python: threads, processes, event loops, databases, archives', {
    timeout: 120_000,
  }, async () => {
    const { stdout, stderr, exitCode } = await inSandbox('python3', ['-c', PYTHON], { work });
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    expect(stdout.trim().split('\n')).toEqual([
      '[0, 1, 4]',
      '[3, 4]',
      "b'async\\n'",
      '[(7,)]',
      'pear',
      'served',
      '3',
    ]);
  });

  it('suffice for Node.js: workers, children, copies, servers on a socket', {
    timeout: 120_000,
  }, async () => {
    const { stdout, stderr, exitCode } = await inSandbox('node', ['-e', NODE], { work });
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    expect(stdout.trim().split('\n').sort()).toEqual(['child', 'copied', 'served', 'unzipped', 'worker']);
  });

  it('suffice for bash and the usual command line programs', { timeout: 120_000 }, async () => {
    const { stdout, stderr, exitCode } = await inSandbox('bash', ['-ec', SHELL], { work });
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    expect(stdout.trim().split('\n')).toEqual(SHELL_PRINTS);
  });
});

const PYTHON = `
import asyncio, concurrent.futures, http.server, multiprocessing, os, shutil, socket, socketserver, sqlite3, subprocess, tarfile, tempfile, threading, zipfile
with concurrent.futures.ThreadPoolExecutor(3) as pool: print(list(pool.map(lambda n: n * n, range(3))))
with multiprocessing.Pool(2) as pool: print(pool.map(abs, [-3, 4]))
async def child():
    process = await asyncio.create_subprocess_exec('echo', 'async', stdout=subprocess.PIPE)
    return (await process.communicate())[0]
print(asyncio.run(child()))
db = sqlite3.connect('t.db'); db.execute('pragma journal_mode=wal'); db.execute('create table t(a)'); db.execute('insert into t values (7)'); db.commit()
print(db.execute('select a from t').fetchall())
os.makedirs('d/e'); shutil.copy2('a.txt', 'd/e'); shutil.copytree('d', 'copy'); os.replace('copy', 'moved')
with tarfile.open('t.tgz', 'w:gz') as tar: tar.add('moved')
with zipfile.ZipFile('z.zip', 'w') as archive: archive.write('a.txt')
with tempfile.TemporaryDirectory() as folder:
    tarfile.open('t.tgz').extractall(folder); print(open(folder + '/moved/e/a.txt').readline().strip())
listener = socket.socket(socket.AF_UNIX); listener.bind('s'); listener.listen()
def serve():
    connection, _ = listener.accept(); connection.sendall(b'served'); connection.close()
threading.Thread(target=serve).start()
client = socket.socket(socket.AF_UNIX); client.connect('s'); print(client.recv(10).decode())
print(len(open('a.txt').readlines()))
`;

const NODE = `
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const http = require('node:http');
const { Worker } = require('node:worker_threads');
const { gzipSync, createGunzip } = require('node:zlib');
new Worker("console.log('worker')", { eval: true });
process.stdout.write(execFileSync('echo', ['child']));
fs.mkdirSync('d/e', { recursive: true });
fs.copyFileSync('a.txt', 'd/e/a.txt');
fs.cpSync('d', 'copy', { recursive: true });
if (fs.readFileSync('copy/e/a.txt', 'utf8') === fs.readFileSync('a.txt', 'utf8')) console.log('copied');
fs.writeFileSync('z.gz', gzipSync('unzipped\\n'));
fs.createReadStream('z.gz').pipe(createGunzip()).on('data', (chunk) => process.stdout.write(String(chunk)));
const server = http.createServer((_, answer) => answer.end('served\\n')).listen('s.sock', () =>
  http.get({ socketPath: 's.sock' }, (answer) => answer.on('data', (chunk) => process.stdout.write(String(chunk))).on('end', () => server.close())));
fs.watch('.').close();
`;

const SHELL = `
cat <(sort a.txt | uniq -c | sort -rn | awk '{print $2, $1}')
for n in 1 2 3; do sleep 0.01 & done; wait; mapfile -t lines <a.txt; echo "\${#lines[@]} lines"
mkdir -p d/e; cp -a a.txt d/e; tar czf t.tgz d; rm -r d; tar xzf t.tgz; cmp a.txt d/e/a.txt && echo same
gzip -k a.txt; zcat a.txt.gz | head -n 1; find . -name '*.txt' -print0 | xargs -0 -P2 md5sum | wc -l
sed -i s/pear/plum/ a.txt; grep -c plum a.txt; seq 1000 | shuf | sort -n --parallel=2 | tail -n 1
dd if=/dev/zero of=z bs=1k count=3 2>/dev/null; truncate -s 5 z; stat -c %s z; ln -s a.txt l; ln a.txt h; readlink l; stat -c %h a.txt
mkfifo p; echo fifo >p & cat p; timeout 5 true; touch -d 2020-01-01 z; date -r z +%Y; chmod 600 z; install -m 644 a.txt b.txt; diff a.txt b.txt && echo equal
df . >/dev/null; du -sh . >/dev/null; ls -laR >/dev/null; mktemp >/dev/null; nproc >/dev/null; id -u
`;
const SHELL_PRINTS = [
  ...[
    'pear 2',
    'apple 1',
    '3 lines',
    'same',
    'pear',
    '2',
    '2',
    '1000',
    '5',
    'a.txt',
    '2',
    'fifo',
    '2020',
    'equal',
    '65534',
  ],
];
