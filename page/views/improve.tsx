/** One list of what is worth doing, the worst first, each with its one action; and the draft of a skill. */

import { useState } from 'preact/hooks';
import type { Item, Worklist } from '../../extensions/explore/api.ts';
import { useKept } from '../kept.ts';
import { useAnswer } from '../load.ts';
import { count, counted, Difference, Foreign, Problem, Progress, RemarkLine, SkillId } from '../parts.tsx';
import { formatAddress, parameters, replaceParameters, subject } from '../route.ts';
import { Draft } from './draft.tsx';

/** How often the page asks while files are read or pairs are compared, ms. */
const AGAIN_MS = 1_500;
/** Items of one kind that are shown at once. */
const SHOWN = 12;

type Kind = Item['kind'];
type Of<K extends Kind> = Extract<Item, { readonly kind: K }>;

const TITLES: Readonly<Record<Kind, string>> = {
  danger: 'Keys and attacks',
  unloadable: 'Cannot be loaded as it is',
  asked: 'Asked, and nothing fitted',
  collision: 'An agent cannot tell them apart',
  dead: 'Named files are missing',
  small: 'Small things',
};

export function Improve() {
  return subject.value === '' ? <Work /> : <Draft key={subject.value} id={subject.value} />;
}

function Work() {
  const { answer, error } = useAnswer('improve', {}, { againMs: isWorking });
  const [ignored, setIgnored] = useKept('ignored');
  const given = parameters.value;
  if (error !== null) return <Problem>{error}</Problem>;
  if (answer === null) return <p class="quiet">Looking at the skills…</p>;
  const { folders } = answer;
  const hidden = new Set(ignored.split('\n'));
  const mine = new Set(folders.filter((folder) => folder.mine).map(({ name }) => name));
  const items = answer.items.filter(
    (item) =>
      !hidden.has(itemKey(item)) &&
      (item.folder === null || !given.has('mine') || mine.has(item.folder)) &&
      (!given.has('folder') || item.folder === given.get('folder')),
  );
  const small = items.filter(({ kind }) => kind === 'small') as Of<'small'>[];
  const ignore = (item: Item) =>
    setIgnored([...hidden, itemKey(item)].filter((key) => key !== '').join('\n'));
  return (
    <>
      <p class="work-head">
        <b role="status">
          {counted(items.length - small.length, 'thing')} to do,{' '}
          {counted(
            small.reduce((sum, { skills }) => sum + skills, 0),
            'small thing',
          )}
          {isWorking(answer) !== null && ' so far'}
        </b>
        {folders.length > 1 && (
          <select
            aria-label="Folder"
            value={given.get('folder') ?? ''}
            onChange={({ currentTarget }) => replaceParameters({ folder: currentTarget.value })}
          >
            <option value="">all folders</option>
            {folders.map(({ name, skills }) => (
              <option key={name} value={name}>
                {name.replace('__', '/')} ({count(skills)})
              </option>
            ))}
          </select>
        )}
        {mine.size > 0 && mine.size < folders.length && (
          <label>
            <input
              type="checkbox"
              checked={given.has('mine')}
              onChange={({ currentTarget }) =>
                replaceParameters({ mine: currentTarget.checked ? 'yes' : '' })
              }
            />{' '}
            mine
          </label>
        )}
        {ignored !== '' && (
          <button type="button" class="link" onClick={() => setIgnored('')}>
            Show what is ignored
          </button>
        )}
      </p>
      {answer.read < 1 && <Progress label="Reading the files" share={answer.read} />}
      {answer.compared === null && (
        <Problem>The descriptions could not be compared; the log says why.</Problem>
      )}
      {answer.compared !== null && answer.compared < 1 && (
        <Progress label="Comparing the descriptions" share={answer.compared} />
      )}
      {items.length === 0 && answer.read === 1 && answer.compared === 1 && (
        <p>{folders.length === 0 ? 'There are no skills yet.' : 'Nothing: every file is as it should be.'}</p>
      )}
      {(Object.keys(TITLES) as Kind[]).map((kind) => {
        const own = items.filter((item) => item.kind === kind);
        return own.length > 0 && <Section key={kind} kind={kind} items={own} onIgnore={ignore} />;
      })}
    </>
  );
}

const isWorking = ({ read, compared }: Worklist) => (read < 1 || (compared ?? 1) < 1 ? AGAIN_MS : null);

const itemKey = (item: Item): string =>
  [
    item.kind,
    item.folder,
    'skill' in item ? item.skill : '',
    'remark' in item ? `${item.remark.id} ${item.remark.path}` : '',
    'ids' in item ? item.ids.join(' ') : '',
    'query' in item ? item.query : '',
    'meaning' in item ? item.meaning : '',
  ].join(' ');

interface SectionProperties {
  readonly kind: Kind;
  readonly items: readonly Item[];
  readonly onIgnore: (item: Item) => void;
}

/** The small things are folded away. */
function Section({ kind, items, onIgnore }: SectionProperties) {
  const [most, setMost] = useState(SHOWN);
  return (
    <details open={kind !== 'small'}>
      <summary>
        <h2>
          {TITLES[kind]} <span class="quiet">{count(items.length)}</span>
        </h2>
      </summary>
      <ul class="work">
        {items.slice(0, most).map((item) => (
          <li key={itemKey(item)}>
            <Line item={item} />
            <button type="button" class="link" onClick={() => onIgnore(item)}>
              Ignore
            </button>
          </li>
        ))}
      </ul>
      {items.length > most && (
        <button type="button" onClick={() => setMost(most + 4 * SHOWN)}>
          {counted(items.length - most, 'more thing')}
        </button>
      )}
    </details>
  );
}

function Line({ item }: { item: Item }) {
  switch (item.kind) {
    case 'danger':
    case 'unloadable':
      return (
        <p>
          <SkillId id={item.skill} /> <RemarkLine {...item} />
        </p>
      );
    case 'asked':
      return (
        <p>
          “<Foreign text={item.query} />” <span class="quiet">{counted(item.times, 'time')}</span>{' '}
          <a href={formatAddress('explore', { q: item.query })}>See what comes nearest</a>
        </p>
      );
    case 'collision':
      return <Collision ids={item.ids} />;
    default:
      return <Group item={item} />;
  }
}

/** Remarks of one kind on the skills of one folder. */
const Group = ({ item: { folder, meaning, skills, remarks } }: { item: Of<'dead' | 'small'> }) => (
  <details>
    <summary>
      {counted(skills, 'skill')} in <Foreign text={(folder ?? '').replace('__', '/')} />
      <span class="quiet"> {meaning}</span>
    </summary>
    <ul>
      {remarks.map(({ skill, remark }) => (
        <li key={skill}>
          <SkillId id={skill} /> <RemarkLine skill={skill} remark={remark} />
        </li>
      ))}
      {skills > remarks.length && (
        <li class="quiet">
          and {counted(skills - remarks.length, 'more skill')}: skillgate validate lists all
        </li>
      )}
    </ul>
  </details>
);

/** Both descriptions, with the words that only one of them has. */
function Collision({ ids }: { ids: readonly [string, string] }) {
  const [open, setOpen] = useState(false);
  const { answer } = useAnswer('cards', open ? { ids } : null);
  const texts = answer?.map(({ description }) => description.map(([text]) => text).join('')) ?? [];
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <SkillId id={ids[0]} /> ⇄ <SkillId id={ids[1]} /> <span class="link">Side by side</span>
      </summary>
      <div class="sides">
        {texts.map((text, at) => (
          <p key={ids[at]}>
            <Difference before={texts[1 - at] ?? ''} after={text} side />{' '}
            <a href={formatAddress('improve', {}, ids[at])}>Improve this one</a>
          </p>
        ))}
      </div>
    </details>
  );
}
