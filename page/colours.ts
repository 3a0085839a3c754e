/** Colours of categories and amounts, equally strong to the eye (OKLCH), for the light and the dark page. */

import { signal } from '@preact/signals';

export type Colour = readonly [red: number, green: number, blue: number];

const system = matchMedia('(prefers-color-scheme: dark)');

/** Whether the page is dark now. */
export const isDark = signal(system.matches);

/** Call when the theme was chosen anew. */
export function noticeTheme(): void {
  const { theme } = document.documentElement.dataset;
  isDark.value = theme === 'dark' || (theme !== 'light' && system.matches);
}
system.addEventListener('change', noticeTheme);

/** Number `at` of any number of categories: neighbours differ most. */
export const categoryColour = (at: number, dark: boolean): Colour =>
  oklch((dark ? 0.76 : 0.58) + (at % 3) * 0.05 - 0.05, 0.125, (at * 137.508 + 230) % 360);

/** From grey for 0 to a strong colour for 1. */
export const amountColour = (share: number, hue: number, dark: boolean): Colour =>
  oklch(dark ? 0.5 + 0.25 * share : 0.8 - 0.25 * share, 0.005 + 0.15 * share, hue);

export const css = ([red, green, blue]: Colour): string => `rgb(${red} ${green} ${blue})`;

/** Björn Ottosson, https://bottosson.github.io/posts/oklab/. */
function oklch(lightness: number, chroma: number, hue: number): Colour {
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    channel(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    channel(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    channel(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}

function channel(linear: number): number {
  const value = Math.max(0, Math.min(1, linear));
  const gamma = value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055;
  return Math.round(255 * gamma);
}
