/** Renders a Vega-Lite specification as SVG without a browser, in the common style of all plots. */

import { parse, View } from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';

/** Distinguishable with the common forms of colour blindness: colours of Okabe and Ito, then of Tol. */
const COLOURS =
  '#0072B2 #D55E00 #009E73 #CC79A7 #E69F00 #56B4E9 #7F7F7F #000000 #882255 #999933 #332288'.split(' ');

const FONT = 'system-ui, sans-serif';

/** The same specification gives the same text, without ids or dates. */
export async function renderSvg(spec: TopLevelSpec): Promise<string> {
  const { spec: vega } = compile(spec, {
    config: {
      background: 'white',
      font: FONT,
      title: { anchor: 'start', fontSize: 15, subtitleFontSize: 12, subtitleColor: '#555555' },
      axis: { labelFontSize: 12, titleFontSize: 12, titleFontWeight: 'normal', gridColor: '#e5e5e5' },
      legend: { labelFontSize: 12, labelLimit: 240 },
      range: { category: COLOURS },
      view: { stroke: null },
    },
  });
  const view = new View(parse(vega), { renderer: 'none' });
  try {
    return `${await view.toSVG()}\n`;
  } finally {
    view.finalize();
  }
}
