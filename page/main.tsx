import { render } from 'preact';
import { App } from './app.tsx';
import { takeToken } from './client.ts';

takeToken();
const root = document.getElementById('app');
if (root !== null) render(<App />, root);
