/** All screens by path. Each one except the overview is loaded when it is first opened. */
import type { ComponentType } from 'preact';
import { Overview } from '../screens/overview/overview.js';

type LoadComponent = () => Promise<ComponentType>;

export interface Screen {
  /** Label in the menu. Absent if the screen is not in the menu. */
  readonly label?: string;
  readonly title: string;
  readonly component: ComponentType | LoadComponent;
  readonly lazy: boolean;
}

const createLazyScreen = (title: string, load: LoadComponent, label?: string): Screen => ({
  title,
  label,
  component: load,
  lazy: true,
});
const createMenuScreen = (title: string, load: LoadComponent): Screen => createLazyScreen(title, load, title);

export const SCREENS: Readonly<Record<string, Screen>> = {
  '/': { title: 'Overview', label: 'Overview', component: Overview, lazy: false },
  '/changes': createMenuScreen('Changes', async () => (await import('../screens/changes/changes.js')).Changes),
  '/coverage': createMenuScreen('Coverage', async () => (await import('../screens/coverage/coverage.js')).Coverage),
  '/sources': createMenuScreen('Sources', async () => (await import('../screens/sources/sources.js')).Sources),
  '/urls': createMenuScreen('URLs', async () => (await import('../screens/urls/urls.js')).Urls),
  '/url': createLazyScreen(
    'URL history',
    async () => (await import('../screens/url-history/url-history.js')).UrlHistoryScreen,
  ),
  '/try': createMenuScreen('Try a URL', async () => (await import('../screens/try-url/try-url.js')).TryUrl),
  '/hosts': createMenuScreen('Hosts', async () => (await import('../screens/hosts/hosts.js')).Hosts),
  '/host': createLazyScreen('Host', async () => (await import('../screens/hosts/host.js')).Host),
  '/errors': createMenuScreen('Errors', async () => (await import('../screens/errors/errors.js')).Errors),
  '/refused': createMenuScreen(
    'Refused links',
    async () => (await import('../screens/refused/refused.js')).RefusedScreen,
  ),
  '/configuration': createMenuScreen(
    'Configuration',
    async () => (await import('../screens/configuration/configuration.js')).Configuration,
  ),
  '/roots': createMenuScreen('Roots', async () => (await import('../screens/roots/roots.js')).Roots),
  '/logins': createMenuScreen('Logins', async () => (await import('../screens/logins/logins.js')).Logins),
  '/plugins': createMenuScreen('Plug-ins', async () => (await import('../screens/plugins/plugins.js')).Plugins),
  '/push': createMenuScreen('Push', async () => (await import('../screens/push/push.js')).Push),
  '/audit': createMenuScreen('Audit log', async () => (await import('../screens/audit/audit.js')).Audit),
  '/start': createLazyScreen('First crawl', async () => (await import('../screens/first-run/first-run.js')).FirstRun),
};

/** Screens that a role limited to crawlers has nothing on. */
export const WHOLE_SERVER: ReadonlySet<string> = new Set(['/logins', '/plugins']);

/** Headings of the menu, by the first screen below each. */
export const MENU_HEADINGS: Readonly<Record<string, string>> = {
  '/': 'Crawl',
  '/urls': 'Pages',
  '/configuration': 'Setup',
  '/push': 'Index and server',
};
