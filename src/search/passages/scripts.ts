/** Describes a script by its name and the comment or docstring at its head. Its code is not indexed. */

import { LineIndex } from './split.ts';

interface ScriptHead {
  /** The file's name, then the lines of the comment. */
  readonly text: string;
  /** Lines of the file: from the first line to the comment's last, or the first line only. */
  readonly lines: readonly [from: number, to: number];
}

/** Limits of a head, in lines and characters; longer ones are usage details. */
const HEAD_LINES = 40;
const HEAD_CHARACTERS = 2_000;

/** Line comments of the languages that `fileKind` calls scripts. */
const LINE_COMMENT = /^\s*(?:#(?!!)|\/\/|--|;|%|::|rem\b|@rem\b|\*)/i;
/** Opening and closing marks of block comments and docstrings. */
const BLOCKS: readonly (readonly [open: RegExp, close: string])[] = [
  [/^\s*\/\*/, '*/'],
  [/^\s*[rub]?"""/i, '"""'],
  [/^\s*[rub]?'''/i, "'''"],
  [/^\s*<#/, '#>'],
  [/^\s*<!--/, '-->'],
  [/^\s*=(?:begin|pod|head1)\b/, '=c'],
  [/^\s*--\[\[/, ']]'],
  [/^\s*#\|/, '|#'],
];
/** Lines before the comment that say nothing about the script. */
const PRELUDE = /^\s*(?:#!|['"]use strict['"]|@echo off|set -|<\?php|from __future__|-\*-)/i;

export function scriptHead(source: string, name: string): ScriptHead {
  const index = new LineIndex(source);
  const end = Math.min(index.count, HEAD_LINES);
  const kept: string[] = [];
  let last = 0;
  let close: string | null = null;
  for (let line = 0; line < end; line++) {
    const text = index.line(line).slice(0, HEAD_CHARACTERS);
    if (close !== null) {
      kept.push(text);
      last = line;
      if (text.includes(close)) close = null;
      continue;
    }
    if (text.trim() === '' || PRELUDE.test(text)) continue;
    const block = BLOCKS.find(([open]) => open.test(text));
    if (block === undefined && !LINE_COMMENT.test(text)) break;
    kept.push(text);
    last = line;
    if (block !== undefined && !text.replace(block[0], '').includes(block[1])) close = block[1];
  }
  const comment = kept.join('\n').slice(0, HEAD_CHARACTERS).trimEnd();
  return { text: comment === '' ? name : `${name}\n${comment}`, lines: [1, last + 1] };
}
