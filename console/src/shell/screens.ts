/** Every screen by its path. All but the first one are loaded when they are opened. */
import type { ComponentType } from 'preact';
import { Overview } from '../screens/overview/overview.js';

type Load = () => Promise<ComponentType>;

export interface Screen {
  /** Absent: reached from another screen, not from the menu. */
  readonly label?: string;
  readonly title: string;
  readonly screen: ComponentType | Load;
  readonly lazy: boolean;
}

const lazy = (title: string, screen: Load, label?: string): Screen => ({ title, label, screen, lazy: true });
const inMenu = (title: string, screen: Load): Screen => lazy(title, screen, title);

export const SCREENS: Readonly<Record<string, Screen>> = {
  '/': { title: 'Overview', label: 'Overview', screen: Overview, lazy: false },
  '/coverage': inMenu('Coverage', async () => (await import('../screens/coverage/coverage.js')).Coverage),
  '/sources': inMenu('Sources', async () => (await import('../screens/sources/sources.js')).Sources),
  '/urls': inMenu('URLs', async () => (await import('../screens/urls/urls.js')).Urls),
  '/url': lazy('URL history', async () => (await import('../screens/url-history/url-history.js')).UrlHistoryScreen),
  '/try': inMenu('Try a URL', async () => (await import('../screens/try-url/try-url.js')).TryUrl),
  '/configuration': inMenu(
    'Configuration',
    async () => (await import('../screens/configuration/configuration.js')).Configuration,
  ),
  '/hosts': inMenu('Hosts', async () => (await import('../screens/hosts/hosts.js')).Hosts),
  '/host': lazy('Host', async () => (await import('../screens/hosts/host.js')).Host),
  '/errors': inMenu('Errors', async () => (await import('../screens/errors/errors.js')).Errors),
  '/refused': inMenu('Refused links', async () => (await import('../screens/refused/refused.js')).Refused),
  '/roots': inMenu('Roots', async () => (await import('../screens/roots/roots.js')).Roots),
  '/logins': inMenu('Logins', async () => (await import('../screens/logins/logins.js')).Logins),
  '/push': inMenu('Push', async () => (await import('../screens/push/push.js')).Push),
  '/plugins': inMenu('Plug-ins', async () => (await import('../screens/plugins/plugins.js')).Plugins),
  '/audit': inMenu('Audit log', async () => (await import('../screens/audit/audit.js')).Audit),
  '/start': lazy('First crawl', async () => (await import('../screens/first-run/first-run.js')).FirstRun),
};
