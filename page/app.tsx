/** The frame around the views: navigation, theme, keyboard, and the question for a token. */

import { render } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { tokenWanted } from './client.ts';
import { firstIndex, follow, isReachable, overview } from './load.ts';
import { count, counted, isComposing, lastPart, Problem, Progress } from './parts.tsx';
import { lastAddress, subject, view } from './route.ts';
import { keepToken } from './token.ts';
import { Explore } from './views/explore.tsx';
import { Improve } from './views/improve.tsx';

const VIEWS = [
  ['explore', 'Explore'],
  ['improve', 'Improve'],
] as const;

/** Takes over what `index.html` shows. */
export function start(): void {
  const root = document.getElementById('app');
  if (root !== null) render(<App />, root);
}

function App() {
  const isImprove = view.value === 'improve';
  useKeyboard();
  useEffect(() => {
    follow();
  }, []);
  useEffect(() => {
    document.title = `${lastPart(subject.value) || (isImprove ? 'Improve' : 'Explore')} · skillgate`;
  }, [isImprove, subject.value]);
  if (tokenWanted.value !== null) return <TokenQuestion isVoid={tokenWanted.value === 'void'} />;
  const top = (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the view
      </button>
      <Top current={isImprove ? 'improve' : 'explore'} />
      <ServerState />
    </>
  );
  if (!isImprove) return <Explore top={top} isOpen={firstIndex.value === null} />;
  return (
    <>
      {top}
      <main id="main" tabIndex={-1} class="improve">
        <h1 class="unseen">Improve</h1>
        {firstIndex.value === null && <Improve />}
      </main>
    </>
  );
}

function Top({ current }: { current: string }) {
  const answer = overview.value;
  return (
    <header class="top">
      <p class="brand">skillgate</p>
      <p class="catalog">
        {answer !== null && (
          <>
            <b>{count(answer.skills)}</b> {answer.skills === 1 ? 'skill' : 'skills'}
            {answer.sources > 1 && <> · {counted(answer.sources, 'source')}</>}
            {answer.principal !== 'local' && <> · as {answer.principal}</>}
            {answer.indexing !== null && <> · indexing {Math.round(100 * answer.indexing)} %</>}
          </>
        )}
      </p>
      <nav aria-label="Views">
        {VIEWS.map(([name, title], at) => (
          <a
            key={name}
            href={name === current ? `#/${name}` : lastAddress(name)}
            aria-current={name === current ? 'page' : undefined}
            aria-keyshortcuts={String(at + 1)}
          >
            {title}
          </a>
        ))}
      </nav>
      <details class="help">
        <summary aria-label="Keys">?</summary>
        <div>
          <p>
            <kbd>/</kbd> the box, <kbd>↓</kbd> <kbd>↑</kbd> through the hits, <kbd>Enter</kbd> opens,{' '}
            <kbd>Esc</kbd> goes back, <kbd>e</kbd> editor, <kbd>c</kbd> copies the path, <kbd>1</kbd>{' '}
            <kbd>2</kbd> the views. On the map: arrows, <kbd>+</kbd> <kbd>−</kbd> <kbd>0</kbd>, <kbd>n</kbd>{' '}
            <kbd>p</kbd> through its skills. Near on the map means alike; how far two distant places are apart
            means nothing.
          </p>
        </div>
      </details>
    </header>
  );
}

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
    <section class="working" aria-label="State of the index">
      <h2>Your skills are being indexed</h2>
      <p class="quiet">
        Once; later only what has changed. The page goes on by itself. Meanwhile: an agent sees two tools and
        no list of skills, finds by intent, loads one skill, and opens only the lines that it needs.
      </p>
      <Progress label={share === 0 ? 'Reading the folders' : 'Indexing'} share={share} />
    </section>
  );
}

/** Keys of the frame, and of what says that it has one. Not while a field has the focus. */
function useKeyboard() {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { target, key } = event;
      const isField = target instanceof Element && target.closest('input, textarea, select') !== null;
      if (isField || isComposing(event)) return;
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (key === '/') {
        event.preventDefault();
        document.querySelector<HTMLElement>('main input, main textarea')?.focus();
      } else document.querySelector<HTMLElement>(`[aria-keyshortcuts="${CSS.escape(key)}"]`)?.click();
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
          location.reload();
        }}
      >
        {isVoid && (
          <Problem>
            The token in this tab is no longer valid: the server was started again, or the token was revoked.
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
