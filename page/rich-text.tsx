/** A file of a skill: as Markdown, or line by line. Elements are made one by one; nothing of a skill is read as HTML. */

import { type ComponentChildren, h } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { RichText } from '../extensions/explore/api.ts';
import { useAnswer } from './load.ts';
import { shown } from './parts.tsx';
import { skillAddress } from './route.ts';

export type Lines = readonly [from: number, to: number];

/** What a Markdown parser without HTML makes; anything else becomes plain text. */
const TAGS: ReadonlySet<string> = new Set(
  'p span h2 h3 h4 h5 h6 ul ol li pre code em strong s blockquote hr br table thead tbody tr th td'.split(
    ' ',
  ),
);

const touch = (lines: Lines | undefined, lit: Lines | null) =>
  lines !== undefined && lit !== null && lines[0] <= lit[1] && lines[1] >= lit[0];

interface Properties {
  readonly nodes: readonly RichText[];
  /** Of the skill, to which links to its files lead. */
  readonly id: string;
  readonly lit: Lines | null;
}

export function Rich({ nodes, id, lit }: Properties) {
  return <>{nodes.map((node, at) => element(node, at, id, lit))}</>;
}

function element(node: RichText, key: number, id: string, lit: Lines | null): ComponentChildren {
  if (typeof node === 'string') return shown(node);
  const { tag, lines, href, file } = node;
  const inside = node.children.length === 0 ? null : <Rich nodes={node.children} id={id} lit={lit} />;
  if (tag === 'img' && file !== undefined)
    return <Picture key={key} id={id} file={file} alt={node.children.join('')} />;
  if (href !== undefined || file !== undefined) {
    const outside = href !== undefined && { target: '_blank', rel: 'noopener noreferrer' };
    const address = href ?? skillAddress(id, file);
    return h('a', { key, href: address, ...outside }, inside);
  }
  const isLit = touch(lines, lit);
  if (tag === 'details')
    return (
      <details key={key} open={isLit}>
        <summary>Front matter</summary>
        <Source text={String(node.children[0])} lit={lit} />
      </details>
    );
  if (tag === 'pre' && isLit && lines !== undefined)
    return <Source key={key} text={String(node.children[0] ?? '')} from={lines[0]} lit={lit} />;
  return h(TAGS.has(tag) ? tag : 'span', { key, dir: 'auto', class: isLit ? 'lit' : undefined }, inside);
}

/** A picture of the skill, painted: the page's policy lets no picture load that is not its own file. */
export function Picture({ id, file, alt }: { id: string; file: string; alt: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [isShown, setShown] = useState(true);
  const { answer } = useAnswer('file', { id, path: file });
  const { base64, mimeType } = answer ?? {};
  useEffect(() => {
    if (answer === null) return;
    const paint = async () => {
      const bytes = Uint8Array.from(atob(base64 ?? ''), (sign) => sign.charCodeAt(0));
      const picture = await createImageBitmap(new Blob([bytes], { type: mimeType }));
      const target = canvas.current;
      if (target === null) return;
      [target.width, target.height] = [picture.width, picture.height];
      target.getContext('2d')?.drawImage(picture, 0, 0);
    };
    paint().then(
      () => setShown(true),
      () => setShown(false),
    );
  }, [base64]);
  if (!isShown) return <em>[{shown(alt)}: a picture that cannot be shown here]</em>;
  return <canvas ref={canvas} class="picture" role="img" aria-label={alt === '' ? file : shown(alt)} />;
}

/** A text with its line numbers. */
export function Source({ text, from = 1, lit }: { text: string; from?: number; lit: Lines | null }) {
  return (
    <pre class="source">
      {text.split('\n').map((line, at) => (
        <span
          key={at}
          class={touch([from + at, from + at], lit) ? 'line lit' : 'line'}
          data-line={from + at}
          dir="auto"
        >
          {shown(line)}
          {'\n'}
        </span>
      ))}
    </pre>
  );
}
