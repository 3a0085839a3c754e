/** Right loads against tokens in the prompt, a line for each way and a point for each size of the catalog. */

import { writeFile } from 'node:fs/promises';
import type { ChoiceFigures } from '../presented.ts';
import { renderSvg } from './render.ts';

const NAMES: Readonly<Record<string, string>> = {
  'claude-code': 'list of Claude Code',
  codex: 'list of Codex',
  'copilot-cli': 'list of Copilot CLI',
  uncut: 'every description, uncut',
  skillgate: 'skillgate',
};

export async function drawChoices(figures: readonly ChoiceFigures[], file: string): Promise<void> {
  const most = Math.max(...figures.map(({ size }) => size));
  const values = figures.map(({ way, size, right, before, search }) => ({
    way: NAMES[way] ?? way,
    size,
    side: way === 'skillgate' ? 'skillgate' : 'lists',
    right: 100 * right,
    tokens: before + search,
    // All points of skillgate, and the last ones of the lists, stand together: one label each is enough.
    label: (way === 'skillgate') === (size === most) ? size.toLocaleString('en-US') : '',
  }));
  const svg = await renderSvg({
    title: {
      text: 'Right skill loaded, by tokens in the prompt',
      subtitle:
        'labels: skills in the catalog; tokens of the list, or of tools, instructions, query and answer',
    },
    width: 560,
    height: 340,
    data: { values },
    encoding: {
      x: {
        field: 'tokens',
        type: 'quantitative',
        scale: { type: 'log', padding: 20 },
        axis: { title: 'tokens', format: ',' },
      },
      y: {
        field: 'right',
        type: 'quantitative',
        scale: { domain: [0, 100] },
        axis: { title: 'right skill loaded, % of the requests' },
      },
      color: { field: 'way', type: 'nominal', title: null, sort: Object.values(NAMES) },
    },
    layer: [
      { mark: { type: 'line', point: true }, encoding: { order: { field: 'size', type: 'quantitative' } } },
      ...(['skillgate', 'lists'] as const).map((side) => ({
        transform: [{ filter: `datum.side === '${side}'` }],
        mark: {
          type: 'text' as const,
          align: side === 'skillgate' ? ('right' as const) : ('left' as const),
          dx: side === 'skillgate' ? -6 : 6,
          dy: 9,
          fontSize: 10,
        },
        encoding: { text: { field: 'label', type: 'nominal' as const } },
      })),
    ],
  });
  await writeFile(file, svg);
}
