import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { CrawlerDto } from '../../api/schema.js';
import { useCrawlers } from '../../state/crawlers.js';
import { href } from '../../state/route.js';
import { useHasRole } from '../../state/session.js';
import { addFullStop, formatCount, formatPercent, formatPlural, formatRate } from '../../ui/format.js';
import { runWithNotice } from '../../ui/notices.js';
import { Panel } from '../../ui/panel.js';
import { StateBadge } from '../../ui/status.js';

type Move = 'start' | 'pause' | 'stop';

const DONE: Readonly<Record<Move, string>> = { start: 'runs', pause: 'is paused', stop: 'is stopped' };

export function CrawlerCard({ crawler }: { crawler: CrawlerDto }): JSX.Element {
  return (
    <Panel
      title={crawler.name}
      aside={
        <>
          <StateBadge name={crawler.state} />
          <Controls crawler={crawler} />
        </>
      }
    >
      <div class="stack">
        <Figures crawler={crawler} />
        <p>
          <span class="muted">Limited by: </span>
          {addFullStop(crawler.limitedBy)}
        </p>
        <StatusLine crawler={crawler} />
      </div>
    </Panel>
  );
}

function Controls({ crawler }: { crawler: CrawlerDto }): JSX.Element | null {
  const { reload } = useCrawlers();
  const controls = useRef<HTMLDivElement>(null);
  if (!useHasRole('operate')) return null;
  const changeState = (what: Move): Promise<void> =>
    runWithNotice(async () => {
      await call(`POST /api/v1/crawlers/{crawler}/${what}`, { path: { crawler: crawler.name } });
      reload();
      if (what === 'stop') controls.current?.querySelector('button')?.focus(); // the button that had the focus disappears
      return `${crawler.name} ${DONE[what]}.`;
    });
  const moveButton = (what: Move, label: string): JSX.Element => (
    <button type="button" class="button" aria-label={`${label} ${crawler.name}`} onClick={() => changeState(what)}>
      {label}
    </button>
  );
  return (
    <div ref={controls} class="actions">
      {crawler.state === 'running' ? moveButton('pause', 'Pause') : moveButton('start', 'Start')}
      {crawler.state !== 'stopped' && moveButton('stop', 'Stop')}
    </div>
  );
}

function Figures({ crawler }: { crawler: CrawlerDto }): JSX.Element {
  const queued = crawler.sources.reduce((sum, { depth }) => sum + depth, 0);
  const waiting = crawler.counts['waiting'] ?? 0;
  const errorShare = crawler.pagesPerSecond > 0 ? crawler.errorsPerSecond / crawler.pagesPerSecond : 0;
  return (
    <dl class="figures">
      <Figure label="Documents in the index" value={formatCount(crawler.indexed)} />
      <Figure label="Pages" value={formatRate(crawler.pagesPerSecond)} unit="last minute" />
      <Figure label="Errors" value={formatPercent(errorShare)} unit="of visits, last minute" />
      <Figure
        label="Pushed"
        value={formatRate(crawler.ordersPerSecond)}
        unit={`${formatCount(crawler.pendingOrders)} on the way`}
      />
      <Figure
        label="Waiting"
        value={formatCount(waiting)}
        unit={`${formatCount(crawler.active)} being fetched, ${formatCount(queued - waiting)} to visit again`}
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

/** Stored URLs by status; each number links to the list behind it. */
function StatusLine({ crawler }: { crawler: CrawlerDto }): JSX.Element {
  const shown = Object.entries(crawler.counts).filter(([, number]) => number > 0);
  const total = shown.reduce((sum, [, number]) => sum + number, 0);
  return (
    <p class="row">
      <a href={href('/urls', { crawler: crawler.name })}>{formatPlural(total, 'stored URL')}</a>
      {shown.map(([status, number]) => (
        <a key={status} class="row" href={href('/urls', { crawler: crawler.name, status })}>
          <StateBadge name={status} />
          {formatCount(number)}
        </a>
      ))}
    </p>
  );
}
