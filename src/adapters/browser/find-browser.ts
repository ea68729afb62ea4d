/** Finds the browser for rendering, and describes the problem when there is none. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { RendererDefinition } from '../../domain/crawl/fetcher-definition.js';

/** The headless shell has no user interface, which saves a quarter of the processor time. */
const NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  'chrome',
  'microsoft-edge',
];
const ELSEWHERE = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
];

type Place = Pick<RendererDefinition, 'path' | 'url' | 'sandbox'>;

/** Path of the browser's executable; undefined if there is none. */
export function findBrowser({ path }: Pick<Place, 'path'>, searchPath = process.env['PATH'] ?? ''): string | undefined {
  if (path !== undefined) return isExecutable(path) ? path : undefined;
  const folders = searchPath.split(delimiter).filter(Boolean);
  const candidates = [...NAMES.flatMap((name) => folders.map((folder) => join(folder, name))), ...ELSEWHERE];
  return candidates.find(isExecutable);
}

/** Why nothing can be rendered, and what to do about it; undefined if rendering should work. */
export function findBrowserProblem(renderer: Place, uid = process.getuid?.()): string | undefined {
  if (renderer.url !== undefined) return undefined;
  if (findBrowser(renderer) === undefined) {
    const where = renderer.path === undefined ? 'none was found on this machine' : `${renderer.path} is not a program`;
    return `rendering is configured, but there is no browser: ${where}. Install Chromium, or name one with path or url of cw:Renderer. Until then pages are crawled as they are sent, and those without content are reported as needs-rendering`;
  }
  if (uid === 0 && renderer.sandbox)
    return 'Chromium does not run as root with its sandbox: run the server as another user, or, where a container confines it, write sandbox="false" on cw:Renderer. Until then pages are crawled as they are sent, and those without content are reported as needs-rendering';
  return undefined;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
