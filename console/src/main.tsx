import { render } from 'preact';
import './design/base.css';
import './design/shell.css';
import './design/parts.css';
import './design/data.css';
import './design/lists.css';
import { App } from './shell/app.js';
import { applyTheme } from './shell/theme.js';

applyTheme();
render(<App />, document.getElementById('app')!);
