#!/usr/bin/env node
// Contrast ratio of two CSS colours after WCAG 2.2, with verdicts and the nearest passing foreground.
//
// Use:
//   node contrast.mjs --fg '#767676' --bg '#ffffff'
//   echo '{"fg":"rgba(0,0,0,0.5)","bg":"#fafafa"}' | node contrast.mjs
//
// Colours: #rgb, #rgba, #rrggbb, #rrggbbaa, rgb(), rgba(), black, white. A translucent foreground is laid over the background.
// Prints JSON {fg, bg, ratio, text_aa, text_aaa, large_text_aa, controls_aa, suggestion?}. Exit 2 on bad input.
import { readFileSync } from 'node:fs';

const fail = (message) => {
  console.error(`contrast: ${message}`);
  process.exit(2);
};

function readArgs() {
  const argv = process.argv.slice(2);
  if (argv.length > 0) {
    const out = {};
    for (let i = 0; i < argv.length; i += 2) {
      if (!['--fg', '--bg'].includes(argv[i])) fail(`unknown flag ${argv[i]}; use --fg and --bg`);
      if (argv[i + 1] === undefined) fail(`${argv[i]} needs a value`);
      out[argv[i].slice(2)] = argv[i + 1];
    }
    return out;
  }
  if (process.stdin.isTTY) fail('give --fg and --bg, or a JSON object on standard input');
  try {
    const data = JSON.parse(readFileSync(0, 'utf8'));
    if (data === null || typeof data !== 'object' || Array.isArray(data)) throw new Error('not an object');
    return data;
  } catch (e) {
    return fail(`standard input must be a JSON object: ${e.message}`);
  }
}

/** [r, g, b, alpha], 0–255 and 0–1 */
function parseColour(value, name) {
  if (typeof value !== 'string' || value.trim() === '') fail(`${name} is missing`);
  const v = value.trim().toLowerCase();
  if (v === 'black') return [0, 0, 0, 1];
  if (v === 'white') return [255, 255, 255, 1];
  const hex = /^#([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/.exec(v)?.[1];
  if (hex) {
    const wide = hex.length < 6 ? [...hex].map((c) => c + c).join('') : hex;
    const n = wide.match(/../g).map((p) => Number.parseInt(p, 16));
    return [n[0], n[1], n[2], n.length === 4 ? n[3] / 255 : 1];
  }
  const fn = /^rgba?\(([^)]*)\)$/.exec(v)?.[1];
  if (fn) {
    const parts = fn.split(/[\s,/]+/).filter(Boolean);
    const n = parts.map((p, i) => (p.endsWith('%') ? (Number(p.slice(0, -1)) / 100) * (i < 3 ? 255 : 1) : Number(p)));
    if ((n.length === 3 || n.length === 4) && n.every(Number.isFinite) && n.slice(0, 3).every((c) => c >= 0 && c <= 255) && (n[3] ?? 1) >= 0 && (n[3] ?? 1) <= 1) {
      return [n[0], n[1], n[2], n[3] ?? 1];
    }
  }
  return fail(`${name} "${value}" is not a colour; use #rrggbb or rgb(r, g, b)`);
}

const channel = (c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
const contrast = (a, b) => {
  const [hi, lo] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (hi + 0.05) / (lo + 0.05);
};
const toHex = (c) => `#${c.slice(0, 3).map((n) => Math.round(n).toString(16).padStart(2, '0')).join('')}`;

const input = readArgs();
const fg = parseColour(input.fg, 'fg');
const bg = parseColour(input.bg, 'bg');
if (bg[3] < 1) fail('bg must be opaque: give the colour that really lies behind');
const shown = [0, 1, 2].map((i) => fg[i] * fg[3] + bg[i] * (1 - fg[3]));
const ratio = contrast(shown, bg);

// Walk in 1 % steps toward black and toward white; the first that reaches 4.5 is the nearest.
let suggestion;
if (ratio < 4.5) {
  for (let step = 1; step <= 100 && !suggestion; step++) {
    for (const goal of [[0, 0, 0], [255, 255, 255]]) {
      const c = shown.map((v, i) => Math.round(v + ((goal[i] - v) * step) / 100));
      if (contrast(c, bg) >= 4.5) { suggestion = { fg: toHex(c), ratio: Number(contrast(c, bg).toFixed(2)) }; break; }
    }
  }
}

// Cut, never round up: 4.499 is a failure.
console.log(JSON.stringify({
  fg: toHex(shown), bg: toHex(bg), ratio: Math.floor(ratio * 100) / 100,
  text_aa: ratio >= 4.5, text_aaa: ratio >= 7, large_text_aa: ratio >= 3, controls_aa: ratio >= 3,
  ...(suggestion ? { suggestion } : {}),
}, null, 2));
