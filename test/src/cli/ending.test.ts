import { describe, expect, it } from 'vitest';
import { IndexError } from '../../../index/errors.ts';
import { AppError, ConfigError } from '../../../src/app/app-error.ts';
import { exitCode } from '../../../src/cli/ending.ts';
import { CliError, EXIT } from '../../../src/cli/exit-codes.ts';
import { GatewayError } from '../../../src/gateway/gateway.ts';

describe('exitCode', () => {
  it.each([
    ['SKILL_UNKNOWN', EXIT.notFound],
    ['SKILL_AMBIGUOUS', EXIT.notFound],
    ['SKILL_GONE', EXIT.notFound],
    ['SECTION_UNKNOWN', EXIT.notFound],
    ['PATH_UNKNOWN', EXIT.notFound],
    ['PATH_REFUSED', EXIT.usage],
    ['LINES_INVALID', EXIT.usage],
    ['REQUEST_INVALID', EXIT.usage],
    ['FILE_BINARY', EXIT.failed],
    ['FILE_TOO_LARGE', EXIT.failed],
  ] as const)('%s ends with %d', (code, exit) => {
    expect(exitCode(new GatewayError(code, 'x'))).toBe(exit);
  });

  it('distinguishes a locked index from one that cannot be written', () => {
    expect(exitCode(new IndexError('INDEX_LOCKED', 'x'))).toBe(EXIT.locked);
    expect(exitCode(new IndexError('INDEX_WRITE', 'x'))).toBe(EXIT.failed);
  });

  it('maps errors of commands and of the configuration, and ends with 1 for an unexpected error', () => {
    expect(exitCode(new CliError('USAGE', 'x'))).toBe(2);
    expect(exitCode(new CliError('NOT_FOUND', 'x'))).toBe(3);
    expect(exitCode(new CliError('FAILED', 'x'))).toBe(1);
    expect(exitCode(new ConfigError([]))).toBe(2);
    expect(exitCode(new AppError('SETTING_INVALID', 'x'))).toBe(2);
    expect(exitCode(new AppError('LOCK_MISMATCH', 'x'))).toBe(2);
    expect(exitCode(new AppError('FILE_UNWRITABLE', 'x'))).toBe(1);
    expect(exitCode(new AppError('PORT_INVALID', 'x'))).toBe(2);
    expect(exitCode(new AppError('PORT_TAKEN', 'x'))).toBe(1);
    expect(exitCode(new Error('x'))).toBe(1);
    expect(exitCode('x')).toBe(1);
  });

  it('keeps the numbers that docs/cli.md promises', () => {
    expect(EXIT).toEqual({
      ok: 0,
      failed: 1,
      usage: 2,
      notFound: 3,
      invalid: 4,
      locked: 5,
      unconfirmed: 7,
      below: 8,
    });
  });
});
