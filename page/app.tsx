/** The frame around the views: navigation, theme, keyboard, and the question for a token. */

import { signal } from '@preact/signals';
import { type ComponentType, render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { askWith, tokenWanted } from './client.ts';
import { noticeTheme } from './colours.ts';
import { firstIndex, follow, isReachable, overview } from './load.ts';
import { count, Problem } from './parts.tsx';
import { lastAddressOf, view } from './route.ts';
import { Search } from './views/search.tsx';

interface View {
  readonly name: string;
  readonly title: string;
  readonly Body: ComponentType;
}

const LATER: (() => Promise<void>)[] = [];

/** A view that is loaded when it is opened, or before, once the first one is shown: then it opens without the server too. */
function later(load: () => Promise<{ default: ComponentType }>): ComponentType {
  const loaded = signal<ComponentType | null>(null);
  const start = async () => {
    loaded.value ??= (await load()).default;
  };
  LATER.push(start);
  return () => {
    // Where the server did not answer, once it does again.
    useEffect(() => void start().catch(() => {}), [isReachable.value]);
    const Body = loaded.value;
    return Body === null ? <p class="quiet">Loading…</p> : <Body />;
  };
}

const VIEWS: readonly View[] = [
  { name: 'search', title: 'Search', Body: Search },
  { name: 'why', title: 'Why', Body: later(() => import('./views/why.tsx')) },
  { name: 'map', title: 'Map', Body: later(() => import('./views/map.tsx')) },
  { name: 'health', title: 'Health', Body: later(() => import('./views/health.tsx')) },
  { name: 'use', title: 'Use', Body: later(() => import('./views/use.tsx')) },
];

/** Has no link of its own: every id leads there. */
const SKILL: View = { name: 'skill', title: 'Skill', Body: later(() => import('./views/skill.tsx')) };

/** Takes over what `index.html` shows. */
export function start(): void {
  const root = document.getElementById('app');
  if (root !== null) render(<App />, root);
}

function App() {
  const current = [...VIEWS, SKILL].find(({ name }) => name === view.value) ?? VIEWS[0]!;
  useKeyboard();
  useEffect(() => {
    follow().then(() => Promise.all(LATER.map((load) => load())).catch(() => {}));
  }, []);
  useEffect(() => {
    document.title = `${current.title} · skillgate`;
  }, [current]);
  if (tokenWanted.value !== null) return <TokenQuestion isVoid={tokenWanted.value === 'void'} />;
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the view
      </button>
      <Header current={current} />
      <ServerState />
      <main id="main" tabIndex={-1} class={`view view-${current.name}`}>
        {current !== SKILL && <h1 class="unseen">{current.title}</h1>}
        {firstIndex.value === null && <current.Body />}
      </main>
    </>
  );
}

function Header({ current }: { current: View }) {
  const answer = overview.value;
  return (
    <header class="top">
      <p class="brand">
        <img src="./icon.svg" alt="" width="22" height="22" />
        <span>skillgate</span>
      </p>
      <nav aria-label="Views">
        {VIEWS.map(({ name, title }, at) => (
          <a
            key={name}
            href={lastAddressOf(name)}
            aria-current={name === current.name ? 'page' : undefined}
            aria-keyshortcuts={String(at + 1)}
          >
            {title}
          </a>
        ))}
      </nav>
      <p class="catalog">
        {answer !== null && (
          <>
            <b>{count(answer.skills)}</b> skills · {answer.sources.length}{' '}
            {answer.sources.length === 1 ? 'source' : 'sources'}
            {answer.principal !== 'local' && <> · as {answer.principal}</>}
            {answer.indexing !== null && <> · indexing {percent(answer.indexing)}</>}
          </>
        )}
      </p>
      <ThemeButton />
    </header>
  );
}

const percent = (share: number) => `${Math.round(100 * share)} %`;

/** What keeps the views from being answered, and what to do about it. */
function ServerState() {
  if (!isReachable.value)
    return (
      <p class="server" role="alert">
        The server does not answer. Start <code>skillgate explore</code> again, with <code>--keep</code> if
        this page should go on by itself then; otherwise open the address that it prints. What you wrote is
        not lost.
      </p>
    );
  const share = firstIndex.value;
  if (share === null) return null;
  return (
    <section class="view working" aria-label="State of the index">
      <h2>Your skills are being indexed</h2>
      <p class="quiet">Once; later only what has changed. The page goes on by itself.</p>
      <progress value={share} max={1} aria-label="Progress of the index" />
      <p class="quiet">{percent(share)}</p>
    </section>
  );
}

const THEMES = ['auto', 'light', 'dark'] as const;
const THEME_KEY = 'skillgate-theme';

function ThemeButton() {
  const [theme, setTheme] = useState(() => localStorage.getItem(THEME_KEY) ?? 'auto');
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
    noticeTheme();
    localStorage.setItem(THEME_KEY, theme);
  }, [theme]);
  const next = THEMES[(THEMES.indexOf(theme as (typeof THEMES)[number]) + 1) % THEMES.length]!;
  return (
    <button type="button" class="plain" onClick={() => setTheme(next)} title={`Change to ${next}`}>
      <span aria-hidden="true">{theme === 'dark' ? '●' : theme === 'light' ? '○' : '◐'}</span>
      <span class="unseen">Colours: {theme}</span>
    </button>
  );
}

/** 1 to 5 choose a view; / goes to the view's first field. Not while somebody types. */
function useKeyboard() {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const typing =
        event.target instanceof Element && event.target.closest('input, textarea, select') !== null;
      if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
      const chosen = VIEWS[Number(event.key) - 1];
      if (chosen !== undefined) location.hash = lastAddressOf(chosen.name);
      else if (event.key === '/') {
        event.preventDefault();
        document.querySelector<HTMLElement>('main input, main textarea')?.focus();
      }
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

/** For callers of a server with authentication, whose address has no token. */
function TokenQuestion({ isVoid }: { isVoid: boolean }) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <main class="token">
      <h1>skillgate</h1>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          askWith(field.current?.value.trim() ?? '');
          follow();
        }}
      >
        {isVoid && (
          <Problem>
            The token that this tab holds is void: the server was started again, or the token was revoked.
            Open the address that <code>skillgate explore</code> prints now.
          </Problem>
        )}
        <label for="token">Your token</label>
        <p class="quiet">
          It is kept in this tab only. <code>skillgate explore</code> prints an address that holds one; on a
          team's server it is the token of your MCP client.
        </p>
        <input id="token" ref={field} type="password" autocomplete="off" required />
        <button type="submit">Open</button>
      </form>
    </main>
  );
}
