import { describe, expect, it } from 'vitest';
import { scriptHead } from '../../../../src/search/passages/scripts.ts';

const head = (source: string) => scriptHead(source, 'run');

describe('scriptHead', () => {
  it.each([
    [
      'a docstring',
      '#!/usr/bin/env python3\n"""Boils water.\n\nUse: run N\n"""\nimport sys\n',
      '"""Boils water.\n\nUse: run N\n"""',
      5,
    ],
    ['a docstring on one line', "'''Boils.'''\nx = '''no'''\n", "'''Boils.'''", 1],
    [
      'a comment',
      '#!/bin/sh\nset -eu\n# Boils water.\n# Twice.\nboil\n# no\n',
      '# Boils water.\n# Twice.',
      4,
    ],
    ['a comment in stars', '/**\n * Boils.\n */\nboil();\n', '/**\n * Boils.\n */', 3],
    ['slashes', "'use strict';\n\n// Boils.\nboil();\n", '// Boils.', 3],
    ['a comment of PowerShell', '<#\n.SYNOPSIS\nBoils.\n#>\nparam()\n', '<#\n.SYNOPSIS\nBoils.\n#>', 4],
    ['a comment of batch', '@echo off\nREM Boils.\nboil\n', 'REM Boils.', 2],
    ['two comments', '# Licence.\n\n# Boils.\nboil\n', '# Licence.\n# Boils.', 3],
  ])('reads %s at the head', (_, source, comment, last) => {
    expect(head(source)).toEqual({ text: `run\n${comment}`, lines: [1, last] });
  });

  it('is only the name without a comment', () => {
    expect(head('import os\n# later\n')).toEqual({ text: 'run', lines: [1, 1] });
    expect(head('')).toEqual({ text: 'run', lines: [1, 1] });
  });

  it('ends after 40 lines and 2,000 characters', () => {
    expect(head('# x\n'.repeat(100)).lines).toEqual([1, 40]);
    expect(head(`"""${'x'.repeat(9_000)}`).text).toHaveLength('run\n'.length + 2_000);
  });
});
