import type { JSX } from 'preact';
import { useRoute } from '../../state/route.js';
import { useSession } from '../../state/session.js';
import { PageHead } from '../../ui/panel.js';
import { Tabs } from '../../ui/tabs.js';
import { Forms } from './forms.js';
import { History } from './history.js';
import { OtherRules } from './other-rules.js';
import { ConfigurationOverview } from './overall.js';
import { ResolvedScreen } from './resolved.js';
import { Rules } from './rules.js';
import { Secrets } from './secrets.js';
import { XmlScreen } from './xml-screen.js';

const VIEWS = {
  rules: 'Crawl rules',
  forms: 'Settings',
  other: 'Other rules',
  xml: 'XML',
  secrets: 'Secrets',
  resolved: 'Resolved view',
  history: 'History',
} as const;

/** The others are those of the whole server. */
const { history: _history, ...LIMITED_VIEWS } = VIEWS;

export function Configuration(): JSX.Element {
  const { query } = useRoute();
  const { crawlers, role } = useSession();
  const view = (query.get('view') ?? 'rules') as keyof typeof VIEWS;
  return (
    <>
      <PageHead title="Configuration">
        What is crawled and how. The server checks every change as a whole, and its effect on the stored URLs can be
        previewed before it is saved.
      </PageHead>
      <ConfigurationOverview />
      {crawlers && <Limits crawlers={crawlers} mayChange={role === 'admin'} />}
      <Tabs views={crawlers ? LIMITED_VIEWS : VIEWS} current={view} />
      {view === 'forms' ? (
        <Forms />
      ) : view === 'other' ? (
        <OtherRules />
      ) : view === 'xml' ? (
        <XmlScreen />
      ) : view === 'secrets' ? (
        <Secrets />
      ) : view === 'history' ? (
        <History />
      ) : view === 'resolved' ? (
        <ResolvedScreen />
      ) : (
        <Rules />
      )}
    </>
  );
}

/** What somebody whose role is limited to crawlers sees here, and whom to ask for the rest. */
const Limits = ({ crawlers, mayChange }: { crawlers: readonly string[]; mayChange: boolean }): JSX.Element => (
  <div class="notice">
    <p>
      Your role is limited to {crawlers.length === 1 ? 'the crawler' : 'the crawlers'} <b>{crawlers.join(', ')}</b>. You
      see {mayChange && 'and change'} their settings and rules, the sinks to which no other crawler pushes, and the
      secrets that belong to them.
    </p>
    <p>
      Only an administrator of the whole server adds, renames or removes crawlers and sinks, changes the type and URL of
      a sink, fetchers with their logins, rule files and quotas, lets a crawler use another sink, fetcher, proxy or
      file, and restores earlier versions.
    </p>
  </div>
);
