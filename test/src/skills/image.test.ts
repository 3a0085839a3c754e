import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkImage, describeOther } from '../../../src/skills/image.ts';
import { gif, jpeg, png, webp } from './images.ts';

const PICTURES = [
  ['image/png', png],
  ['image/jpeg', jpeg],
  ['image/gif', gif],
  ['image/webp', webp],
] as const;

describe.each(PICTURES)('%s', (mimeType, picture) => {
  it('is recognised by its bytes, up to 8,000 pixels a side', () => {
    expect(checkImage(picture(8_000, 1))).toEqual({ ok: true, mimeType });
    expect(checkImage(picture(1, 8_001))).toMatchObject({ ok: false, what: expect.stringContaining('8001') });
    expect(checkImage(picture(0, 1))).toMatchObject({ ok: false });
  });

  it('is refused wherever it is cut', () => {
    const whole = picture(3, 2);
    for (let length = 12; length < whole.length; length += 1) {
      expect(checkImage(whole.subarray(0, length))).toMatchObject({ ok: false });
    }
  });
});

it('refuses a PNG with a flipped bit', () => {
  const damaged = png(3, 2);
  damaged[damaged.length - 20]! ^= 1;
  expect(checkImage(damaged)).toMatchObject({ ok: false, what: expect.stringContaining('damaged') });
});

it('never throws, for any bytes behind a known beginning', () => {
  const beginnings = PICTURES.map(([, picture]) => picture(3, 2).subarray(0, 16));
  fc.assert(
    fc.property(fc.constantFrom(...beginnings), fc.uint8Array({ maxLength: 200 }), (start, rest) => {
      checkImage(Buffer.concat([start, rest]));
      describeOther(Buffer.concat([start, rest]));
    }),
  );
});
