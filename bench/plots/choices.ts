/** Right loads by the number of skills: a line for each way to show skills, labelled with the tokens that it takes. */

import { renderSvg } from './render.ts';

export interface ChoicePoint {
  readonly size: number;
  readonly way: string;
  /** Share of the requests for which the right skill was loaded, 0–100. */
  readonly right: number;
  /** Of the list, or of tools, instructions, query and answer. */
  readonly tokens: number;
}

/** Where a line has room for its label: beside the point of this size. */
interface Label {
  readonly name: string;
  readonly size: number;
  readonly align: 'left' | 'right';
  readonly dx: number;
  readonly dy: number;
}

const LABELS: Readonly<Record<string, Label>> = {
  skillgate: { name: 'skillgate', size: 24_393, align: 'right', dx: 24, dy: -28 },
  uncut: { name: 'all descriptions', size: 2_000, align: 'right', dx: 8, dy: -28 },
  'claude-code': { name: 'Claude Code’s list', size: 2_000, align: 'left', dx: -40, dy: 20 },
  codex: { name: 'Codex’s list', size: 325, align: 'left', dx: 12, dy: -10 },
  'copilot-cli': { name: 'Copilot CLI’s list', size: 24_393, align: 'right', dx: 30, dy: -42 },
};

/** The picture as SVG. Throws for a way that has no place for its label. */
export function drawChoices(points: readonly ChoicePoint[]): Promise<string> {
  const values = points.map(({ way, size, right, tokens }) => {
    const label = LABELS[way];
    if (label === undefined) throw new Error(`bench/plots/choices.ts has no label for ${way}.`);
    return {
      name: label.name,
      way,
      order: size,
      size: grouped(size),
      right,
      tokens: grouped(tokens),
    };
  });
  return renderSvg({
    title: {
      text: 'Right skill loaded, % of requests',
      subtitle: 'by number of skills, with the tokens that it takes',
      offset: 36,
    },
    width: 330,
    height: 280,
    // Without a canvas Vega only guesses how wide texts are.
    autosize: { type: 'none' },
    padding: { left: 34, top: 108, right: 6, bottom: 42 },
    data: { values },
    encoding: {
      x: {
        field: 'size',
        type: 'ordinal',
        sort: { field: 'order' },
        axis: { title: 'skills', labelAngle: 0 },
      },
      y: {
        field: 'right',
        type: 'quantitative',
        scale: { domain: [0, 100] },
        axis: { title: null, tickCount: 5 },
      },
    },
    layer: [
      {
        mark: { type: 'line', point: { size: 60 }, strokeWidth: 3 },
        encoding: {
          order: { field: 'order', type: 'quantitative' },
          color: { field: 'way', type: 'nominal', sort: Object.keys(LABELS), legend: null },
        },
      },
      ...Object.entries(LABELS).map(([way, { size, align, dx, dy }]) => ({
        transform: [
          { filter: `datum.way === '${way}' && datum.order === ${size}` },
          { calculate: "[datum.name, datum.tokens + ' tokens']", as: 'lines' },
        ],
        mark: { type: 'text' as const, align, dx, dy, fontSize: 14, lineHeight: 17 },
        encoding: { text: { field: 'lines', type: 'nominal' as const } },
      })),
    ],
  });
}

const grouped = (number: number) => number.toLocaleString('en-US');
