import type { JSX } from 'preact';
import { useRoute } from '../../state/route.js';
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

export function Configuration(): JSX.Element {
  const { query } = useRoute();
  const view = (query.get('view') ?? 'rules') as keyof typeof VIEWS;
  return (
    <>
      <PageHead title="Configuration">
        What is crawled and how. The server checks every change as a whole, and its effect on the stored URLs can be
        previewed before it is saved.
      </PageHead>
      <ConfigurationOverview />
      <Tabs views={VIEWS} current={view} />
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
