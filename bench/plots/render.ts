/**
 * Renders a Vega-Lite specification as SVG without a browser, in the common style of all plots. Vega is not installed with
 * the product: `npm ci --prefix bench`.
 */

/** A specification of Vega-Lite. */
export type PlotSpec = Readonly<Record<string, unknown>>;

/** Distinguishable with the common forms of colour blindness: colours of Okabe and Ito, then of Tol. */
const COLOURS =
  '#0072B2 #D55E00 #009E73 #CC79A7 #E69F00 #56B4E9 #7F7F7F #000000 #882255 #999933 #332288'.split(' ');

const FONT = 'system-ui, sans-serif';

/** A picture follows the reader's system; each rule replaces an attribute that Vega writes. */
const DARK = `<style>@media (prefers-color-scheme: dark) {
  rect[fill="white"] { fill: #0d1117 }
  text { fill: #e6edf3 }
  line[stroke="#e5e5e5"] { stroke: #30363d }
  line[stroke="#888"] { stroke: #8b949e }
  path[fill="#0072B2"] { fill: #58a6ff }
  path[stroke="#0072B2"] { stroke: #58a6ff }
}</style>`;

/** The same specification gives the same text, without ids or dates. */
export async function renderSvg(spec: PlotSpec): Promise<string> {
  const [{ parse, View }, { compile }] = await Promise.all([import('vega'), import('vega-lite')]);
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
    const svg = await view.toSVG();
    return `${svg.replace(/^<svg[^>]*>/, (start) => `${start}${DARK}`)}\n`;
  } finally {
    view.finalize();
  }
}
