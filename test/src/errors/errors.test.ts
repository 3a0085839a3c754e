import { expect, it } from 'vitest';
import { CodedError, errorMessage, systemCode } from '../../../src/base/errors.ts';

class ToyError extends CodedError<'TOY_BROKEN'> {
  override readonly name = 'ToyError';
}

it('carries code, message, data and cause', () => {
  const cause = new Error('inside');
  const error = new ToyError('TOY_BROKEN', 'It broke.', { data: { part: 3 }, cause });
  expect([error.name, error.code, error.message, error.data, error.cause]).toEqual([
    'ToyError',
    'TOY_BROKEN',
    'It broke.',
    { part: 3 },
    cause,
  ]);
  expect('cause' in new ToyError('TOY_BROKEN', 'It broke.')).toBe(false);
  expect(String(error)).toBe('ToyError: It broke.');
});

it('says what anything thrown says', () => {
  expect([errorMessage(new Error('no')), errorMessage('text'), errorMessage(undefined)]).toEqual([
    'no',
    'text',
    'undefined',
  ]);
  expect(systemCode(Object.assign(new Error('x'), { code: 'ENOENT' }))).toBe('ENOENT');
  expect([systemCode(new Error('x')), systemCode(3)]).toEqual([undefined, undefined]);
});
