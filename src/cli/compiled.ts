/**
 * Runs the built program from V8's code cache, which saves a third of the CPU time of a start. ES modules cannot use it before
 * Node.js 22, so the program is one script (`build.js`).
 */

import { accessSync, constants, lstatSync, mkdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Script, constants as scripts } from 'node:vm';
import { crc32 } from 'node:zlib';
import { COMPILED, userCacheFolder } from '../app/cache.ts';
import { homeFolder } from '../base/files/home-folder.ts';
import { readRegularSync } from '../base/files/read.ts';
import { replaceFile } from '../base/files/replace.ts';

/** Most bytes of compiled code; all functions of the program take less. */
const MAX_BYTES = 64 * 2 ** 20;
/** Of the checksum at the end of the file. */
const CHECKSUM_BYTES = 4;
/** Commands that run often: each has compiled code of what it calls. */
const FREQUENT = ['serve', 'hint', 'search'];
/** When a server has answered what a host asks at once, ms. */
const EARLY_MS = 3_000;
/** A process of this age, s, has called more functions than a short one: its code is worth writing again. */
const LONG = 10;
/** Compiled code that grows by less is not written again. */
const GROWTH = 1.1;

/** Runs `program.cjs` beside the script `start`. `build` tells builds apart. */
export function runCompiled(start: string, build: string): Promise<void> {
  const program = join(dirname(start), 'program.cjs');
  const command = process.argv[2] ?? '';
  const folder = join(userCacheFolder({ home: homeFolder(), env: process.env }), COMPILED, build);
  const code = new CompiledCode(program, folder, FREQUENT.includes(command) ? command : 'others');
  // The demo leaves nothing behind; a run that failed has called too little of the program.
  if (command !== 'demo') {
    process.on('exit', (status) => status === 0 && code.write());
    if (code.isNew) setTimeout(() => code.write(), EARLY_MS).unref();
  }
  return code
    .run()(createRequire(start), pathToFileURL(start).href, (name: string) => import(name))
    .run();
}

/** A script, and the file that keeps its compiled code. */
export class CompiledCode {
  readonly #file: string;
  readonly #script: Script;
  /** Bytes in the file that are in use; 0 for none. */
  #bytes: number;

  constructor(program: string, folder: string, name: string) {
    // Another version of Node.js refuses the code, a program of the same length that was changed later does not.
    const changed = Math.round(statSync(program).mtimeMs).toString(36);
    this.#file = join(folder, `${name}-${process.version}-${process.arch}-${changed}`);
    const cachedData = readCompiled(this.#file);
    this.#script = new Script(readFileSync(program, 'latin1'), {
      filename: program,
      cachedData,
      importModuleDynamically: scripts.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
    this.#bytes = this.#script.cachedDataRejected === false ? cachedData!.length : 0;
  }

  /** Whether no compiled code was there to be used. */
  get isNew(): boolean {
    return this.#bytes === 0;
  }

  /** The value of the script. */
  run() {
    return this.#script.runInThisContext();
  }

  /** Keeps what was called so far, if nothing was kept before; more of it only after a long time. */
  write(age = process.uptime()): void {
    if (!this.isNew && age < LONG) return;
    try {
      const folder = dirname(this.#file);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      assertOwnFolder(folder);
      accessSync(folder, constants.W_OK);
      const data = this.#script.createCachedData();
      if (data.length < this.#bytes * GROWTH) return;
      replaceFile(this.#file, Buffer.concat([data, checksum(data)]), 0o600);
      this.#bytes = data.length;
    } catch {
      // The next start compiles again.
    }
  }
}

/**
 * Compiled code runs without a look at its source: only the user may have written it. V8 does not notice damage, and crashes.
 * Undefined where there is none.
 */
function readCompiled(file: string): Uint8Array | undefined {
  try {
    assertOwnFolder(dirname(file));
    const bytes = readRegularSync(file, MAX_BYTES, assertOwn);
    const data = bytes.subarray(0, -CHECKSUM_BYTES);
    return checksum(data).equals(bytes.subarray(-CHECKSUM_BYTES)) ? data : undefined;
  } catch {
    return undefined;
  }
}

const checksum = (data: Uint8Array): Buffer => Buffer.from(Uint32Array.of(crc32(data)).buffer);

/** A link could lead to files that the user has from others, such as a cloned project. */
function assertOwnFolder(folder: string): void {
  for (const path of [folder, dirname(folder)]) assertOwn(lstatSync(path));
}

/** Windows has no such modes; there the folder lies in the user's own. */
function assertOwn(stats: Stats): void {
  const user = process.getuid?.();
  const isOwn = stats.uid === user && (stats.mode & 0o022) === 0 && !stats.isSymbolicLink();
  if (user !== undefined && !isOwn) throw new Error('Others can write it.');
}
