import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { call, describeLimit } from '../../api/client.js';
import type { CrawlerDto } from '../../api/schema.js';
import { useCrawlers } from '../../state/crawlers.js';
import { href } from '../../state/route.js';
import { useHasRole } from '../../state/session.js';
import { addFullStop, formatCount, formatPercent, formatPlural, formatRate } from '../../ui/format.js';
import { runWithNotice, showNotice } from '../../ui/notices.js';
import { Panel } from '../../ui/panel.js';
import { PauseDialog } from '../../ui/pause-dialog.js';
import { StateBadge } from '../../ui/status.js';
import { Time } from '../../ui/time.js';

type Action = 'start' | 'stop';

const RESULTS: Readonly<Record<Action, string>> = { start: 'is running', stop: 'is stopped' };

export function CrawlerCard({ crawler }: { crawler: CrawlerDto }): JSX.Element {
  return (
    <Panel
      title={crawler.name}
      aside={
        <>
          <StateBadge name={crawler.state} />
          {crawler.pausedUntil && (
            <span class="muted">
              until <Time at={crawler.pausedUntil} />
            </span>
          )}
          <Controls crawler={crawler} />
        </>
      }
    >
      <div class="stack">
        <Figures crawler={crawler} />
        <p>
          <span class="muted">Limited by: </span>
          {addFullStop(describeLimit(crawler.limitedBy))}
        </p>
        <StatusLine crawler={crawler} />
      </div>
    </Panel>
  );
}

function Controls({ crawler }: { crawler: CrawlerDto }): JSX.Element | null {
  const { reload } = useCrawlers();
  const controls = useRef<HTMLDivElement>(null);
  const [isPausing, setIsPausing] = useState(false);
  if (!useHasRole('operate')) return null;
  const changeState = (action: Action): Promise<void> =>
    runWithNotice(async () => {
      await call(`POST /api/v1/crawlers/{crawler}/${action}`, { path: { crawler: crawler.name } });
      reload();
      if (action === 'stop') controls.current?.querySelector('button')?.focus(); // the button that had the focus disappears
      return `${crawler.name} ${RESULTS[action]}.`;
    });
  const endDialog = (): void => {
    setIsPausing(false);
    requestAnimationFrame(() => controls.current?.querySelector('button')?.focus());
  };
  const pause = async (until: string | undefined): Promise<void> => {
    await call('POST /api/v1/crawlers/{crawler}/pause', { path: { crawler: crawler.name }, query: { until } });
    reload();
    showNotice(`${crawler.name} is paused.`);
  };
  const renderButton = (action: Action, label: string): JSX.Element => (
    <button type="button" class="button" aria-label={`${label} ${crawler.name}`} onClick={() => changeState(action)}>
      {label}
    </button>
  );
  return (
    <div ref={controls} class="actions">
      {crawler.state === 'running' ? (
        <button type="button" class="button" aria-label={`Pause ${crawler.name}`} onClick={() => setIsPausing(true)}>
          Pause
        </button>
      ) : (
        renderButton('start', 'Start')
      )}
      {crawler.state !== 'stopped' && renderButton('stop', 'Stop')}
      {isPausing && (
        <PauseDialog
          name={crawler.name}
          effect="It fetches nothing new. Orders in memory are delivered."
          onPause={pause}
          onClose={endDialog}
        />
      )}
    </div>
  );
}

function Figures({ crawler }: { crawler: CrawlerDto }): JSX.Element {
  const queuedCount = crawler.sources.reduce((sum, { depth }) => sum + depth, 0);
  const waitingCount = crawler.counts['waiting'] ?? 0;
  const errorShare = crawler.pagesPerSecond > 0 ? crawler.errorsPerSecond / crawler.pagesPerSecond : 0;
  return (
    <dl class="figures">
      <Figure label="Documents in the index" value={formatCount(crawler.indexed)} />
      <Figure label="Pages" value={formatRate(crawler.pagesPerSecond)} unit="last minute" />
      <Figure label="Errors" value={formatPercent(errorShare)} unit="of visits, last minute" />
      <Figure
        label="Pushed"
        value={formatRate(crawler.ordersPerSecond)}
        unit={`${formatCount(crawler.pendingOrders)} in flight`}
      />
      <Figure
        label="Waiting"
        value={formatCount(waitingCount)}
        unit={`${formatCount(crawler.active)} in progress, ${formatCount(queuedCount - waitingCount)} scheduled`}
      />
    </dl>
  );
}

const Figure = ({ label, value, unit }: { label: string; value: string; unit?: string }): JSX.Element => (
  <div>
    <dt>{label}</dt>
    <dd>
      {value} {unit && <small>{unit}</small>}
    </dd>
  </div>
);

/** Shows the number of stored URLs by status. Each number links to the list of these URLs. */
function StatusLine({ crawler }: { crawler: CrawlerDto }): JSX.Element {
  const shownCounts = Object.entries(crawler.counts).filter(([, count]) => count > 0);
  const total = shownCounts.reduce((sum, [, count]) => sum + count, 0);
  return (
    <p class="row">
      <a href={href('/urls', { crawler: crawler.name })}>{formatPlural(total, 'stored URL')}</a>
      {shownCounts.map(([status, count]) => (
        <a key={status} class="row" href={href('/urls', { crawler: crawler.name, status })}>
          <StateBadge name={status} />
          {formatCount(count)}
        </a>
      ))}
    </p>
  );
}
