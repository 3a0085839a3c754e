/** Which program runs a script: the one in its first line, else by its file extension. */

/** By extension. The first program that the sandbox has is used. */
const BY_EXTENSION: Readonly<Record<string, readonly (readonly string[])[]>> = {
  py: [['python3']],
  js: [['node'], ['deno', 'run', '--no-prompt']],
  mjs: [['node'], ['deno', 'run', '--no-prompt']],
  cjs: [['node']],
  ts: [['deno', 'run', '--no-prompt'], ['bun']],
  mts: [['deno', 'run', '--no-prompt'], ['bun']],
  sh: [['bash'], ['sh']],
  bash: [['bash']],
  zsh: [['zsh']],
  rb: [['ruby']],
  pl: [['perl']],
  php: [['php']],
  lua: [['lua']],
  r: [['Rscript']],
  awk: [['awk', '-f']],
};
/** Replacements for programs of a first line that the sandbox lacks. */
const SYNONYMS: Readonly<Record<string, string>> = { python: 'python3', python2: 'python3', nodejs: 'node' };

/** Bytes of the first line that are read. */
const FIRST_LINE = 256;
/** A program's name or an option: no character that is special to a shell or in a path. */
const WORD = /^[\w.+=-]{1,64}$/;

/**
 * The program and its options, to be followed by the script's path; null where no interpreter is known. `has` returns
 * whether the sandbox has a program.
 */
export function findInterpreter(
  path: string,
  bytes: Uint8Array,
  has: (program: string) => boolean,
): readonly string[] | null {
  const asked = readShebang(bytes);
  const [program, ...options] = asked ?? [];
  if (program !== undefined) return [has(program) ? program : (SYNONYMS[program] ?? program), ...options];
  const name = path.slice(path.lastIndexOf('/') + 1);
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  const known = Object.hasOwn(BY_EXTENSION, extension) ? BY_EXTENSION[extension] : undefined;
  return known?.find(([first = '']) => has(first)) ?? known?.[0] ?? null;
}

/** `#!/usr/bin/env -S node --no-warnings` → node, --no-warnings; `#!/bin/bash -e` → bash, -e. */
function readShebang(bytes: Uint8Array): readonly string[] | null {
  const head = Buffer.from(bytes.subarray(0, FIRST_LINE)).toString('latin1');
  const line = /^#!\s*([^\r\n]*)/.exec(head)?.[1]?.trim();
  if (line === undefined || line === '') return null;
  const [path = '', ...rest] = line.split(/\s+/);
  const program = path.slice(path.lastIndexOf('/') + 1);
  const words = program === 'env' ? (rest[0] === '-S' ? rest.slice(1) : rest) : [program, ...rest];
  return words.length > 0 && words.every((word) => WORD.test(word)) ? words : null;
}
