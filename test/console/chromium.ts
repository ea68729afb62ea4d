/** Where the system's Chromium is, and how it is started. */
import { existsSync } from 'node:fs';

const CANDIDATES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export const CHROMIUM = [process.env['CHROMIUM'] ?? '', ...CANDIDATES].find((path) => path !== '' && existsSync(path));

/** Background services of the browser ask the internet for things; a test must not. */
export const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
