/** Every screen by its path. All but the first one are loaded when they are opened. */
import type { ComponentType } from 'preact';
import { Overview } from '../screens/overview/overview.js';

type Load = () => Promise<ComponentType>;

export interface Screen {
  /** Absent if the screen is reached from another screen and not from the menu. */
  readonly label?: string;
  readonly title: string;
  readonly screen: ComponentType | Load;
  readonly lazy: boolean;
}

const lazyScreen = (title: string, screen: Load, label?: string): Screen => ({ title, label, screen, lazy: true });
const menuScreen = (title: string, screen: Load): Screen => lazyScreen(title, screen, title);

export const SCREENS: Readonly<Record<string, Screen>> = {
  '/': { title: 'Overview', label: 'Overview', screen: Overview, lazy: false },
  '/coverage': menuScreen('Coverage', async () => (await import('../screens/coverage/coverage.js')).Coverage),
  '/sources': menuScreen('Sources', async () => (await import('../screens/sources/sources.js')).Sources),
  '/urls': menuScreen('URLs', async () => (await import('../screens/urls/urls.js')).Urls),
  '/url': lazyScreen(
    'URL history',
    async () => (await import('../screens/url-history/url-history.js')).UrlHistoryScreen,
  ),
  '/try': menuScreen('Try a URL', async () => (await import('../screens/try-url/try-url.js')).TryUrl),
  '/configuration': menuScreen(
    'Configuration',
    async () => (await import('../screens/configuration/configuration.js')).Configuration,
  ),
  '/hosts': menuScreen('Hosts', async () => (await import('../screens/hosts/hosts.js')).Hosts),
  '/host': lazyScreen('Host', async () => (await import('../screens/hosts/host.js')).Host),
  '/errors': menuScreen('Errors', async () => (await import('../screens/errors/errors.js')).Errors),
  '/refused': menuScreen('Refused links', async () => (await import('../screens/refused/refused.js')).RefusedScreen),
  '/roots': menuScreen('Roots', async () => (await import('../screens/roots/roots.js')).Roots),
  '/logins': menuScreen('Logins', async () => (await import('../screens/logins/logins.js')).Logins),
  '/push': menuScreen('Push', async () => (await import('../screens/push/push.js')).Push),
  '/plugins': menuScreen('Plug-ins', async () => (await import('../screens/plugins/plugins.js')).Plugins),
  '/audit': menuScreen('Audit log', async () => (await import('../screens/audit/audit.js')).Audit),
  '/start': lazyScreen('First crawl', async () => (await import('../screens/first-run/first-run.js')).FirstRun),
};
