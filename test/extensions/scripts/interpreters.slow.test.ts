import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findInterpreter } from '../../../extensions/scripts/interpreters.ts';

const all = () => true;
const of = (path: string, text = '', has: (program: string) => boolean = all) =>
  findInterpreter(path, Buffer.from(text), has);

describe('findInterpreter', () => {
  it.each([
    ['#!/usr/bin/env python3\n', ['python3']],
    ['#!/bin/bash -e\n', ['bash', '-e']],
    ['#!/usr/bin/env -S node --no-warnings\r\n', ['node', '--no-warnings']],
    ['#! /usr/bin/perl\n', ['perl']],
  ])('asks the first line: %j', (text, program) => {
    expect(of('scripts/x', text)).toEqual(program);
  });

  it.each([
    ['x.py', 'python3'],
    ['x.MJS', 'node'],
    ['a.b/x.sh', 'bash'],
    ['x.rb', 'ruby'],
  ])('else the name: %s', (path, program) => {
    expect(of(path)?.[0]).toBe(program);
  });

  it('uses the next program where the first is missing', () => {
    expect(of('x.sh', '', (program) => program === 'sh')).toEqual(['sh']);
    expect(of('x.py', '#!/usr/bin/env python\n', (program) => program === 'python3')).toEqual(['python3']);
  });

  it('names the missing program where none is installed', () => {
    expect(of('x.ts', '', () => false)).toEqual(['deno', 'run', '--no-prompt']);
  });

  it('returns null for files without a known interpreter', () => {
    for (const [path, text] of [
      ['x.bin'],
      ['x'],
      ['x.constructor'],
      ['x', '#!/bin/sh; rm -rf /\n'],
      ['x', '#!$(id)\n'],
    ])
      expect(of(path ?? '', text)).toBeNull();
  });

  it('accepts any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.string(), (bytes, path) => {
        const found = findInterpreter(path, Buffer.concat([Buffer.from('#!'), bytes]), all);
        for (const word of found ?? []) expect(word).toMatch(/^[\w.+=-]+$/);
      }),
    );
  });
});
