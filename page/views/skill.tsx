/** One skill, in the place of the list: its files as an author wrote them, and below what skillgate knows of it. */

import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { FileText, SkillPage } from '../../extensions/explore/api.ts';
import { useAnswer } from '../load.ts';
import { CopyButton, count, counted, Foreign, lastPart, Origin, Problem, RemarkLine } from '../parts.tsx';
import { type Lines, Picture, Rich, Source } from '../rich-text.tsx';
import { formatAddress, lastAddress, parameters, skillAddress, subject } from '../route.ts';

/** Files up to which all are seen; more are folded by folder. */
const FEW_FILES = 8;

export function SkillView() {
  const id = subject.value;
  const { answer, error } = useAnswer('skill', id === '' ? null : { id });
  const skill = answer?.id.endsWith(id) === true ? answer : null;
  const head = useRef<HTMLElement>(null);
  // As soon as it is there: keys that are pressed before the answer must not reach the field in the list.
  useLayoutEffect(() => head.current?.focus({ preventScroll: true }), [id]);
  return (
    <article class="skill">
      <header class="skill-head" tabIndex={-1} ref={head}>
        <a
          class="back"
          href={lastAddress('explore')}
          aria-label="Back to the list"
          aria-keyshortcuts="Escape"
        >
          ←
        </a>
        <h1>
          <Foreign text={skill?.name ?? lastPart(id)} />
        </h1>
        <Origin id={id} />
      </header>
      {id === '' && <Problem>The address names no skill.</Problem>}
      {error !== null && <Problem>{error}</Problem>}
      {skill === null && error === null && <p class="quiet">Opening the skill…</p>}
      {skill !== null && <Body skill={skill} />}
    </article>
  );
}

function Body({ skill }: { skill: SkillPage }) {
  const { folder, file } = skill;
  const path = `${folder?.replaceAll('\\', '/')}/${file}`;
  return (
    <>
      <p class="description">
        <Foreign text={skill.description} />
      </p>
      <p class="actions">
        <a class="button" href={formatAddress('improve', {}, skill.id)}>
          Improve
        </a>
        {folder !== undefined && (
          <>
            {/* Editors that follow VS Code's scheme open it; others take the path. */}
            <a
              class="button"
              href={`vscode://file/${encodeURI(path.replace(/^\//, ''))}`}
              aria-keyshortcuts="e"
            >
              Open in editor
            </a>
            <CopyButton text={path} label="Copy path" shortcut="c" />
          </>
        )}
      </p>
      <Reader skill={skill} />
      <aside aria-label="About the skill">
        <About skill={skill} />
      </aside>
    </>
  );
}

function Reader({ skill }: { skill: SkillPage }) {
  const path = parameters.value.get('file') ?? skill.file;
  const lit = linesIn(parameters.value.get('lines'));
  const plain = parameters.value.get('as') === 'text';
  const { answer, error } = useAnswer('file', { id: skill.id, path });
  const file = answer?.path === path ? answer : null;
  const body = useRef<HTMLDivElement>(null);
  useEffect(
    () => body.current?.querySelector('.lit')?.scrollIntoView({ block: 'center' }),
    [file, lit?.join(), plain],
  );
  return (
    <section class="reader" aria-label="Text">
      <Files skill={skill} path={path} />
      <p class="file-head">
        <b>
          <Foreign text={path} />
          {lit !== null && `:${lit[0]}–${lit[1]}`}
        </b>
        {file?.rendered !== undefined && (
          <a
            href={formatAddress(
              'skill',
              { file: path, lines: lit?.join('-'), as: plain ? '' : 'text' },
              skill.id,
            )}
          >
            {plain ? 'Show as a page' : 'Show as text'}
          </a>
        )}
      </p>
      {error !== null && <Problem>{error}</Problem>}
      <div ref={body} class="text">
        {file !== null && <Text file={file} skill={skill} lit={lit} plain={plain} />}
      </div>
    </section>
  );
}

/** All files, or those of each folder behind its name. */
function Files({ skill: { id, files }, path }: { skill: SkillPage; path: string }) {
  if (files.length < 2) return null;
  const link = (file: string) => (
    <li key={file}>
      <a href={skillAddress(id, file)} aria-current={file === path ? 'page' : undefined}>
        <Foreign text={file} />
      </a>
    </li>
  );
  const folders = new Map<string, string[]>();
  for (const file of files) {
    const folder = files.length <= FEW_FILES ? '' : file.slice(0, file.lastIndexOf('/') + 1);
    folders.set(folder, [...(folders.get(folder) ?? []), file]);
  }
  return (
    <nav class="files" aria-label="Files">
      {[...folders].map(([folder, own]) =>
        folder === '' ? (
          <ul key={folder}>{own.map(link)}</ul>
        ) : (
          <details key={folder} open={own.includes(path)}>
            <summary>
              <Foreign text={folder} /> <span class="quiet">{count(own.length)}</span>
            </summary>
            <ul>{own.map(link)}</ul>
          </details>
        ),
      )}
    </nav>
  );
}

interface TextProperties {
  readonly file: FileText;
  readonly skill: SkillPage;
  readonly lit: Lines | null;
  readonly plain: boolean;
}

function Text({ file, skill, lit, plain }: TextProperties) {
  if (file.text === undefined) return <Picture id={skill.id} file={file.path} alt={file.path} />;
  return (
    <>
      {file.rendered === undefined || plain ? (
        <Source text={file.text} lit={lit} />
      ) : (
        <Rich nodes={file.rendered} id={skill.id} lit={lit} />
      )}
      {file.truncated === true && <p class="quiet">The file goes on; this is its first part.</p>}
    </>
  );
}

function About({ skill }: { skill: SkillPage }) {
  const { id, source, license, needs, tags, remarks } = skill;
  const facts: readonly (readonly [string, string])[] = [
    ['Id', id],
    ['Source', source],
    ['Cost', `${counted(skill.listedTokens, 'token')} in a list, ${count(skill.loadedTokens)} when loaded`],
    ...(license === undefined ? [] : [['Licence', license] as const]),
    ...(needs.length === 0 ? [] : [['Needs', needs.join(', ')] as const]),
    ...(tags.length === 0 ? [] : [['Tags', tags.join(', ')] as const]),
  ];
  return (
    <>
      <dl>
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              <Foreign text={value} />
            </dd>
          </div>
        ))}
      </dl>
      {remarks.length > 0 && <Remarks skill={skill} />}
    </>
  );
}

/** Of each rule the first place, and how many more. */
function Remarks({ skill: { id, remarks } }: { skill: SkillPage }) {
  const rules = new Map<string, typeof remarks>();
  for (const remark of remarks) rules.set(remark.id, [...(rules.get(remark.id) ?? []), remark]);
  return (
    <>
      <h2>Remarks</h2>
      <ul class="found">
        {[...rules].map(([rule, list]) => (
          <li key={rule}>
            <RemarkLine skill={id} remark={list[0]!} />
            {list.length > 1 && <span class="quiet"> and {counted(list.length - 1, 'more place')}</span>}
          </li>
        ))}
      </ul>
    </>
  );
}

function linesIn(text: string | null): Lines | null {
  const [, from, to = from] = /^(\d+)(?:-(\d+))?$/.exec(text ?? '') ?? [];
  return from === undefined ? null : [Number(from), Number(to)];
}
