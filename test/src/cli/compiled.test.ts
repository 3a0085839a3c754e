/** Promise: compiled code is used only if the user alone can have written it, and a start without it works. */

import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CompiledCode } from '../../../src/cli/compiled.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

/** V8 compares only the length of the source, so that planted code would run in its place. */
const SAID = "(function(){return 'own';})";
const PLANTED = "(function(){return 'bad';})";

function programOf(source: string, folder = temporaryFolder()) {
  const program = join(folder, 'program.cjs');
  writeFileSync(program, source);
  utimesSync(program, 1, 1);
  return program;
}

/** Code of a program, after it ran and was written. */
function kept(program: string, folder: string): CompiledCode {
  const code = new CompiledCode(program, folder, 'serve');
  code.run()();
  code.write();
  return code;
}

describe('compiled code', () => {
  it('is used by the next start', () => {
    const [program, folder] = [programOf(SAID), join(temporaryFolder(), 'compiled')];
    kept(program, folder);
    expect(new CompiledCode(program, folder, 'serve').isNew).toBe(false);
    expect(new CompiledCode(program, folder, 'hint').isNew).toBe(true);
    // What V8 is given runs: planted code would.
    const same = programOf(PLANTED);
    expect(new CompiledCode(same, folder, 'serve').run()()).toBe('own');
  });

  it.runIf(process.getuid !== undefined)('is neither read nor written where others can write', () => {
    const [program, folder] = [programOf(SAID), join(temporaryFolder(), 'compiled')];
    kept(programOf(PLANTED), folder);
    const [name] = readdirSync(folder);
    const file = join(folder, name!);
    for (const [path, mode] of [
      [folder, 0o770],
      [folder, 0o707],
      [dirname(folder), 0o777],
      [file, 0o620],
    ] as const) {
      const { mode: before } = statSync(path);
      chmodSync(path, mode);
      const code = new CompiledCode(program, folder, 'serve');
      expect([code.isNew, code.run()()]).toEqual([true, 'own']);
      chmodSync(path, before & 0o777);
    }
    // As in a cloned project, whose files are the user's, too.
    const [project, link] = [temporaryFolder(), join(temporaryFolder(), 'compiled')];
    renameSync(folder, join(project, 'build'));
    symlinkSync(project, link);
    const linked = new CompiledCode(program, join(link, 'build'), 'serve');
    expect([linked.isNew, linked.run()()]).toEqual([true, 'own']);
    const other = join(temporaryFolder(), 'other');
    kept(program, other);
    const before = readdirSync(other);
    chmodSync(other, 0o777);
    const late = new CompiledCode(program, other, 'hint');
    late.run()();
    late.write();
    expect(readdirSync(other)).toEqual(before);
  });

  it('is made again for a program that was changed, and where it is damaged', () => {
    const [program, folder] = [programOf(SAID), join(temporaryFolder(), 'compiled')];
    kept(program, folder);
    const file = join(folder, readdirSync(folder)[0]!);
    writeFileSync(file, 'damaged');
    // Another file: V8 remembers what this process compiled.
    const code = new CompiledCode(programOf(SAID), folder, 'serve');
    expect([code.isNew, code.run()()]).toEqual([true, 'own']);
    // V8 looks at the length alone.
    code.write();
    const bytes = readFileSync(file);
    bytes.write('bad', bytes.lastIndexOf('own'), 'latin1');
    writeFileSync(file, bytes);
    const damaged = new CompiledCode(programOf(SAID), folder, 'serve');
    expect([damaged.isNew, damaged.run()()]).toEqual([true, 'own']);
    utimesSync(program, 2, 2);
    expect(new CompiledCode(program, folder, 'serve').isNew).toBe(true);
  });

  it('grows after a long time only', () => {
    const [program, folder] = [
      programOf("(function(){return () => 'later';})"),
      join(temporaryFolder(), 'own'),
    ];
    const code = new CompiledCode(program, folder, 'serve');
    const later = code.run()();
    code.write(0);
    const file = join(folder, readdirSync(folder)[0]!);
    const { ino } = statSync(file);
    later();
    code.write(0);
    expect(statSync(file).ino).toBe(ino);
    code.write(3_600);
    expect(statSync(file).ino).not.toBe(ino);
  });

  it('is not needed: a folder that cannot be written fails nothing', () => {
    const program = programOf(SAID);
    const file = programOf('a file');
    const code = kept(program, join(file, 'compiled'));
    expect([code.isNew, existsSync(join(file, 'compiled'))]).toEqual([true, false]);
  });
});
