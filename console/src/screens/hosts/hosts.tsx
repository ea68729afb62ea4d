import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import type { HostDto } from '../../api/schema.js';
import { useCrawler } from '../../state/crawlers.js';
import { useResource } from '../../state/resource.js';
import { changeQuery, href, useRoute } from '../../state/route.js';
import { EmptyState, ResourceView } from '../../ui/answers.js';
import { formatCount, formatPercent, formatSeconds } from '../../ui/format.js';
import { NoCrawler } from '../../ui/no-crawler.js';
import { PageHead, Panel } from '../../ui/panel.js';
import { Badge } from '../../ui/status.js';
import { Table } from '../../ui/table.js';
import { Time } from '../../ui/time.js';

const PAGE_SIZE = 100;
const POLL_INTERVAL_MS = 5000;

export function Hosts(): JSX.Element {
  const crawler = useCrawler()?.name;
  const { query } = useRoute();
  const cursor = query.get('cursor') ?? undefined;
  const hosts = useResource(
    crawler && `hosts ${crawler} ${cursor}`,
    (signal) => call('GET /api/v1/hosts', { query: { crawler: crawler!, cursor, limit: PAGE_SIZE }, signal }),
    POLL_INTERVAL_MS,
  );
  if (!crawler) return <NoCrawler title="Hosts" />;
  return (
    <>
      <PageHead title="Hosts">
        Web servers, their state and how they are treated. Politeness is shared by all crawlers. Open one to see its
        folders, robots.txt and errors.
      </PageHead>
      <Panel title={`Hosts of ${crawler}`}>
        <ResourceView resource={hosts}>
          {({ items, next }) => (
            <>
              {items.length === 0 ? (
                <EmptyState>
                  No hosts are known yet. <a href="/">Start the crawler</a>, and they appear here.
                </EmptyState>
              ) : (
                <HostTable hosts={items} crawler={crawler} />
              )}
              <nav class="actions end" aria-label="Pages">
                {cursor && (
                  <button type="button" class="button" onClick={() => changeQuery({ cursor: undefined })}>
                    First page
                  </button>
                )}
                {next && (
                  <button type="button" class="button" onClick={() => changeQuery({ cursor: next })}>
                    Next {PAGE_SIZE}
                  </button>
                )}
              </nav>
            </>
          )}
        </ResourceView>
      </Panel>
    </>
  );
}

const HostTable = ({ hosts, crawler }: { hosts: readonly HostDto[]; crawler: string }): JSX.Element => (
  <Table
    name="Hosts"
    headers={[
      'Host',
      'State',
      { label: 'URLs', isNumber: true },
      { label: 'Indexed', isNumber: true },
      { label: 'Queued', isNumber: true, title: 'For a first or later visit, whether due or not' },
      { label: 'Errors', isNumber: true },
      { label: 'Success', isNumber: true, title: 'Share of the latest visits that succeeded' },
      { label: 'Response time', isNumber: true },
      'Next request',
    ]}
  >
    {hosts.map((host) => (
      <tr key={host.host}>
        <td class="nowrap">
          <a class="mono" href={href('/host', { crawler, host: host.host })}>
            {host.host}
          </a>
        </td>
        <td>
          <HostState host={host} />
        </td>
        <td class="number">{formatCount(host.urls)}</td>
        <td class="number">{formatCount(host.indexed)}</td>
        <td class="number">{formatCount(host.queued)}</td>
        <td class="number">{formatCount(host.errors)}</td>
        <td class="number">{host.successShare === undefined ? '–' : formatPercent(host.successShare)}</td>
        <td class="number">
          {host.averageLatencySeconds === undefined ? '–' : formatSeconds(host.averageLatencySeconds)}
        </td>
        <td class="nowrap">
          <NextRequest host={host} />
        </td>
      </tr>
    ))}
  </Table>
);

const isInFuture = (time: string | undefined): boolean => time !== undefined && Date.parse(time) > Date.now();

export function HostState({ host }: { host: HostDto }): JSX.Element {
  if (host.paused) return <Badge tone="warn">paused</Badge>;
  if (isInFuture(host.backOffUntil)) return <Badge tone="warn">resting</Badge>;
  if (host.successShare !== undefined && host.successShare < 0.5) return <Badge tone="bad">unhealthy</Badge>;
  return <Badge tone="good">healthy</Badge>;
}

export const NextRequest = ({ host }: { host: HostDto }): JSX.Element => {
  if (host.paused)
    return host.pausedUntil ? (
      <span class="muted">
        not before <Time at={host.pausedUntil} />, when its pause ends
      </span>
    ) : (
      <span class="muted">not before it is resumed</span>
    );
  const nextRequestAt = isInFuture(host.backOffUntil) ? host.backOffUntil : host.nextRequestAt;
  return isInFuture(nextRequestAt) ? (
    <Time at={nextRequestAt} relative />
  ) : (
    <span class="muted">when a URL is due</span>
  );
};
