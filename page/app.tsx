/** The frame around the views: navigation, theme, keyboard, and the question for a token. */

import type { ComponentType } from 'preact';
import { lazy, Suspense } from 'preact/compat';
import { useEffect, useRef, useState } from 'preact/hooks';
import { keepToken, tokenWanted } from './client.ts';
import { useAnswer } from './load.ts';
import { count, Problem } from './parts.tsx';
import { lastAddressOf, view } from './route.ts';
import { Search } from './views/search.tsx';

interface View {
  readonly name: string;
  readonly title: string;
  readonly Body: ComponentType;
}

const VIEWS: readonly View[] = [
  { name: 'search', title: 'Search', Body: Search },
  { name: 'why', title: 'Why', Body: lazy(() => import('./views/why.tsx')) },
  { name: 'map', title: 'Map', Body: lazy(() => import('./views/map.tsx')) },
  { name: 'health', title: 'Health', Body: lazy(() => import('./views/health.tsx')) },
  { name: 'use', title: 'Use', Body: lazy(() => import('./views/use.tsx')) },
];

/** Has no link of its own: every id leads there. */
const SKILL: View = { name: 'skill', title: 'Skill', Body: lazy(() => import('./views/skill.tsx')) };

export function App() {
  const current = [...VIEWS, SKILL].find(({ name }) => name === view.value) ?? VIEWS[0]!;
  useKeyboard();
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
      <main id="main" tabIndex={-1} class={`view view-${current.name}`}>
        <Suspense fallback={<p class="quiet">Loading…</p>}>
          <current.Body />
        </Suspense>
      </main>
    </>
  );
}

function Header({ current }: { current: View }) {
  const { answer } = useAnswer('overview', {});
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
          </>
        )}
      </p>
      <ThemeButton />
    </header>
  );
}

const THEMES = ['auto', 'light', 'dark'] as const;
const THEME_KEY = 'skillgate-theme';

function ThemeButton() {
  const [theme, setTheme] = useState(() => localStorage.getItem(THEME_KEY) ?? 'auto');
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
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
          keepToken(field.current?.value.trim() ?? '');
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
