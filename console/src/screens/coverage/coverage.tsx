import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import type { CoverageDto } from '../../api/schema.js';
import { useCrawler } from '../../state/crawlers.js';
import { useResource } from '../../state/resource.js';
import { href } from '../../state/route.js';
import { ResourceView } from '../../ui/answers.js';
import { Bar } from '../../ui/bar.js';
import { formatCount, formatPercent } from '../../ui/format.js';
import { NoCrawler } from '../../ui/no-crawler.js';
import { PageHead, Panel } from '../../ui/panel.js';
import { Prose } from '../../ui/prose.js';
import { Reason, useReasons } from '../../ui/reasons.js';
import { StateBadge } from '../../ui/status.js';
import { Table } from '../../ui/table.js';
import { CoverageHistory } from './coverage-history.js';
import { Freshness } from './freshness.js';

const POLL_INTERVAL_MS = 60_000;

export function Coverage(): JSX.Element {
  const crawler = useCrawler()?.name;
  const coverage = useResource(
    crawler && `coverage ${crawler}`,
    (signal) => call('GET /api/v1/crawlers/{crawler}/coverage', { path: { crawler: crawler! }, signal }),
    POLL_INTERVAL_MS,
  );
  if (!crawler) return <NoCrawler title="Coverage" />;
  return (
    <>
      <PageHead title="Coverage">
        How much of what {crawler} has found is crawled and indexed, why the rest is not, and how old the index is.
      </PageHead>
      <ResourceView resource={coverage}>
        {(value) => (
          <>
            <Stages crawler={crawler} coverage={value} />
            <CoverageHistory crawler={crawler} />
            <div class="grid">
              <UnindexedUrls crawler={crawler} coverage={value} />
              <Freshness crawler={crawler} coverage={value} />
            </div>
          </>
        )}
      </ResourceView>
    </>
  );
}

/** Statuses of URLs that were never requested. */
const NEVER_REQUESTED: ReadonlySet<string> = new Set(['waiting', 'excluded', 'elsewhere', 'filtered']);

const sumCounts = (
  { reasons }: CoverageDto,
  isIncluded: (row: CoverageDto['reasons'][number]) => boolean,
  field: 'urls' | 'indexed' = 'urls',
): number => reasons.reduce((sum, row) => (isIncluded(row) ? sum + row[field] : sum), 0);

function Stages({ crawler, coverage }: { crawler: string; coverage: CoverageDto }): JSX.Element {
  const total = sumCounts(coverage, () => true);
  const stages = [
    ['Discovered', total, href('/urls', { crawler }), 'All stored URLs'],
    ['Crawled', sumCounts(coverage, ({ status }) => !NEVER_REQUESTED.has(status)), undefined, 'Visited at least once'],
    [
      'Indexed',
      sumCounts(coverage, () => true, 'indexed'),
      href('/urls', { crawler, indexed: true }),
      'Delivered to the sinks',
    ],
    [
      'Excluded',
      sumCounts(coverage, ({ status }) => ['excluded', 'elsewhere', 'filtered'].includes(status)),
      href('/urls', { crawler, status: 'excluded' }),
      'Excluded by the configuration',
    ],
    [
      'In error',
      sumCounts(coverage, ({ status }) => status === 'error'),
      href('/errors', { crawler }),
      'The last visit failed',
    ],
    [
      'Waiting',
      sumCounts(coverage, ({ status }) => status === 'waiting'),
      href('/urls', { crawler, status: 'waiting' }),
      'Not visited yet',
    ],
  ] as const;
  return (
    <Panel title="Of all discovered URLs">
      <ul class="stages">
        {stages.map(([name, count, target, title]) => (
          <li key={name} title={title}>
            <span class="muted">{name}</span>
            <strong>{target ? <a href={target}>{formatCount(count)}</a> : formatCount(count)}</strong>
            <span class="muted">{total === 0 ? '–' : formatPercent(count / total)}</span>
            <Bar share={total === 0 ? 0 : count / total} bad={name === 'In error' && count > 0} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

const MAX_REASONS_SHOWN = 25;

function UnindexedUrls({ crawler, coverage }: { crawler: string; coverage: CoverageDto }): JSX.Element {
  const reasons = useReasons();
  const rows = coverage.reasons.filter(({ urls, indexed }) => urls > indexed);
  const largestCount = Math.max(1, ...rows.map(({ urls, indexed }) => urls - indexed));
  if (rows.length === 0) {
    return (
      <Panel title="Not in the index, and why">
        <p>Every stored URL is in the index.</p>
      </Panel>
    );
  }
  return (
    <Panel title="Not in the index, and why">
      <Table
        name="URLs that are not in the index, by reason"
        headers={['Status', 'Reason', { label: 'URLs', isNumber: true }, { label: 'Share', hidden: true }]}
      >
        {rows.slice(0, MAX_REASONS_SHOWN).map(({ status, reason, urls, indexed }) => (
          <tr key={`${status} ${reason}`}>
            <td>
              <StateBadge name={status} />
            </td>
            <td>
              <Reason code={reason} />
              <div class="title-line">
                <Prose text={reasons.get(reason)?.meaning ?? ''} />
              </div>
            </td>
            <td class="number">
              <a href={href('/urls', { crawler, status, reason, indexed: 'false' })}>{formatCount(urls - indexed)}</a>
            </td>
            <td>
              <Bar share={(urls - indexed) / largestCount} />
            </td>
          </tr>
        ))}
      </Table>
      <p class="muted">
        Links that never became stored URLs are under <a href={href('/refused', { crawler })}>Refused links</a>.
      </p>
    </Panel>
  );
}
