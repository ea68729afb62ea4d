/** Finds the browser for rendering, and describes the problem when there is none. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { RendererDefinition } from '../../domain/crawl/fetcher-definition.js';

/** The headless shell has no user interface, which saves a quarter of the processor time. */
const EXECUTABLE_NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  'chrome',
  'microsoft-edge',
];
const WELL_KNOWN_PATHS = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
];

type BrowserLocation = Pick<RendererDefinition, 'path' | 'url' | 'sandbox'>;

/** Returns the path of the browser's executable; undefined if there is none. */
export function findBrowser(
  { path }: Pick<BrowserLocation, 'path'>,
  searchPath = process.env['PATH'] ?? '',
): string | undefined {
  if (path !== undefined) return isExecutable(path) ? path : undefined;
  const folders = searchPath.split(delimiter).filter(Boolean);
  const candidates = [
    ...EXECUTABLE_NAMES.flatMap((name) => folders.map((folder) => join(folder, name))),
    ...WELL_KNOWN_PATHS,
  ];
  return candidates.find(isExecutable);
}

/** Returns why nothing can be rendered, and what to do about it; undefined if rendering should work. */
export function findBrowserProblem(renderer: BrowserLocation, uid = process.getuid?.()): string | undefined {
  if (renderer.url !== undefined) return undefined;
  if (findBrowser(renderer) === undefined) {
    const reason =
      renderer.path === undefined ? 'none was found on this machine' : `${renderer.path} is not an executable file`;
    return `rendering is configured, but there is no browser: ${reason}. Install Chromium, or specify a browser with path or url on cw:Renderer. Until then, pages are crawled without rendering, and those without content are reported as needs-rendering`;
  }
  if (uid === 0 && renderer.sandbox)
    return 'Chromium does not run as root with its sandbox: run the server as another user, or, if a container confines it, set sandbox="false" on cw:Renderer. Until then, pages are crawled without rendering, and those without content are reported as needs-rendering';
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
