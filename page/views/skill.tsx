/** One skill: its files as an author wrote them, and next to them what skillgate knows of it. */

import { useEffect, useRef } from 'preact/hooks';
import type { FileText, SkillPage } from '../../extensions/explore/api.ts';
import { useAnswer } from '../load.ts';
import { CopyButton, count, counted, Foreign, Problem, SkillId } from '../parts.tsx';
import { type Lines, Rich, Source } from '../rich-text.tsx';
import { addressOf, parameters, skillAddress, subject } from '../route.ts';

/** Characters of a description that make a query. */
const QUERY = 300;

export default function SkillView() {
  const id = subject.value;
  const { answer: skill, error } = useAnswer('skill', id === '' ? null : { id });
  useEffect(() => {
    if (skill !== null) document.title = `${skill.name} · skillgate`;
  }, [skill?.name]);
  if (id === '') return <Problem>The address names no skill.</Problem>;
  if (error !== null) return <Problem>{error}</Problem>;
  if (skill === null) return <p class="quiet">Opening the skill…</p>;
  return (
    <article class="skill">
      <header>
        <h1>
          <Foreign text={skill.name} />
        </h1>
        <p>
          <SkillId id={skill.id} />
        </p>
        <p class="description">
          <Foreign text={skill.description} />
        </p>
        <p class="actions">
          <CopyButton text={skill.id} label="Copy id" />
          <a class="button" href={addressOf('why', { skill: skill.id })}>
            Try in Why
          </a>
          <a class="button" href={addressOf('map', { skill: skill.id })}>
            Show on the map
          </a>
          <a class="button" href={addressOf('search', { q: skill.description.slice(0, QUERY) })}>
            Search for this
          </a>
          {skill.folder !== undefined && <OpenInEditor folder={skill.folder} file={skill.file} />}
        </p>
      </header>
      <Reader skill={skill} />
      <aside aria-label="About the skill">
        <About skill={skill} />
      </aside>
    </article>
  );
}

/** Editors that follow VS Code's scheme open it; others take the path. */
function OpenInEditor({ folder, file }: { folder: string; file: string }) {
  const path = `${folder.replaceAll('\\', '/')}/${file}`;
  return (
    <>
      <a class="button" href={`vscode://file/${encodeURI(path.replace(/^\//, ''))}`}>
        Open in editor
      </a>
      <CopyButton text={path} label="Copy path" />
    </>
  );
}

function Reader({ skill }: { skill: SkillPage }) {
  const path = parameters.value.get('file') ?? skill.file;
  const lit = linesIn(parameters.value.get('lines'));
  const plain = parameters.value.get('as') === 'text';
  const { answer, error } = useAnswer('file', { id: skill.id, path });
  const body = useRef<HTMLDivElement>(null);
  useEffect(
    () => body.current?.querySelector('.lit')?.scrollIntoView({ block: 'center' }),
    [answer, lit?.join()],
  );
  return (
    <section class="reader" aria-label="Text">
      <nav class="files" aria-label="Files">
        {skill.files.map((file) => (
          <a
            key={file.path}
            href={skillAddress(skill.id, file.path)}
            aria-current={file.path === path ? 'page' : undefined}
          >
            <Foreign text={file.path} />
          </a>
        ))}
      </nav>
      {error !== null && <Problem>{error}</Problem>}
      {answer?.rendered !== undefined && (
        <p class="quiet as">
          {plain ? (
            <a href={skillAddress(skill.id, path, lit ?? undefined)}>Show as a page</a>
          ) : (
            <a href={addressOf('skill', { file: path, lines: lit?.join('-'), as: 'text' }, skill.id)}>
              Show as text, with line numbers
            </a>
          )}
        </p>
      )}
      <div ref={body} class="text">
        {answer !== null && <Text file={answer} skill={skill} lit={lit} plain={plain} />}
      </div>
    </section>
  );
}

function Text({
  file,
  skill,
  lit,
  plain,
}: {
  file: FileText;
  skill: SkillPage;
  lit: Lines | null;
  plain: boolean;
}) {
  if (file.text === undefined)
    return <p class="quiet">A picture ({file.mimeType}), which is not shown here.</p>;
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
  const { source, license, needs, tags, use, remarks, collisions, neighbours } = skill;
  const facts: readonly (readonly [string, string])[] = [
    ['Source', source],
    ['Cost', `${counted(skill.listedTokens, 'token')} in a list, ${count(skill.loadedTokens)} when loaded`],
    ...(use === null ? [] : [['Use', `found ${count(use.found)} ×, loaded ${count(use.loaded)} ×`] as const]),
    ...(license === undefined ? [] : [['Licence', license] as const]),
    ...(needs.length === 0 ? [] : [['Needs', needs.join(', ')] as const]),
    ...(tags.length === 0 ? [] : [['Tags', tags.join(', ')] as const]),
  ];
  return (
    <>
      <dl class="about">
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              <Foreign text={value} />
            </dd>
          </div>
        ))}
      </dl>
      <h2>Remarks</h2>
      {remarks.length === 0 && <p class="quiet">None.</p>}
      <ul class="found">
        {remarks.map(({ id: rule, severity, path, line, message, fix }) => (
          <li key={`${rule} ${path} ${line}`}>
            <span class={`severity ${severity}`}>{severity}</span>{' '}
            <a href={skillAddress(skill.id, path, line === undefined ? undefined : [line, line])}>
              {path}
              {line !== undefined && `:${line}`}
            </a>
            <p>
              <Foreign text={message} />
            </p>
            {fix !== undefined && (
              <p class="fix">
                <Foreign text={fix} />
              </p>
            )}
          </li>
        ))}
      </ul>
      {collisions.length > 0 && (
        <>
          <h2>Hard to tell apart from</h2>
          <ul class="ids">
            {collisions.map(({ id, closeness }) => (
              <li key={id}>
                <SkillId id={id} /> <span class="quiet">{closeness.toFixed(2)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      {neighbours.length > 0 && (
        <>
          <h2>Near in meaning</h2>
          <ul class="ids">
            {neighbours.map((id) => (
              <li key={id}>
                <SkillId id={id} />
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function linesIn(text: string | null): Lines | null {
  const [, from, to = from] = /^(\d+)(?:-(\d+))?$/.exec(text ?? '') ?? [];
  return from === undefined ? null : [Number(from), Number(to)];
}
