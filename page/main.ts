import { takeToken } from './token.ts';

// Before someone follows a link of the frame.
takeToken();
// The frame in index.html is painted first: evaluating the page's code takes longer than loading it.
requestAnimationFrame(() => setTimeout(async () => (await import('./app.tsx')).start()));
