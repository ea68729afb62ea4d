import type { JSX } from 'preact';
import { useRoute } from '../../state/route.js';
import { PageHead } from '../../ui/panel.js';
import { Tabs } from '../../ui/tabs.js';
import { HeldDeletions } from './held.js';
import { Ledger } from './ledger.js';
import { Sinks } from './sinks.js';

const VIEWS = {
  sinks: 'Sinks',
  ledger: 'Ledger',
  refused: 'Refused orders',
  held: 'Held',
} as const;

export function Push(): JSX.Element {
  const view = useRoute().query.get('view') ?? 'sinks';
  return (
    <>
      <PageHead title="Push">
        Orders to the search index: what was sent, how the sinks responded, and what is waiting for your decision.
      </PageHead>
      <Tabs views={VIEWS} current={view} />
      {view === 'ledger' ? (
        <Ledger />
      ) : view === 'refused' ? (
        <Ledger state="refused" />
      ) : view === 'held' ? (
        <HeldDeletions />
      ) : (
        <Sinks />
      )}
    </>
  );
}
