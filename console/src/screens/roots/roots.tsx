/** Shows the start URLs and what became of each of them. */
import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import type { RootDto } from '../../api/schema.js';
import { useCrawler } from '../../state/crawlers.js';
import { useResource } from '../../state/resource.js';
import { useRoute } from '../../state/route.js';
import { EmptyState, ResourceView } from '../../ui/answers.js';
import { NextPage } from '../../ui/next-page.js';
import { NoCrawler } from '../../ui/no-crawler.js';
import { PageHead, Panel } from '../../ui/panel.js';
import { Reason } from '../../ui/reasons.js';
import { StateBadge } from '../../ui/status.js';
import { Table } from '../../ui/table.js';
import { Time } from '../../ui/time.js';
import { UrlLink } from '../../ui/url-text.js';

const POLL_INTERVAL_MS = 10_000;

export function Roots(): JSX.Element {
  const crawler = useCrawler()?.name;
  if (!crawler) return <NoCrawler title="Roots" />;
  return (
    <>
      <PageHead title="Roots">Where the crawl of {crawler} begins, and what became of each URL.</PageHead>
      <RootList crawler={crawler} />
    </>
  );
}

function RootList({ crawler }: { crawler: string }): JSX.Element {
  const cursor = useRoute().query.get('cursor') ?? undefined;
  const roots = useResource(
    `roots ${crawler} ${cursor ?? ''}`,
    (signal) => call('GET /api/v1/crawlers/{crawler}/roots', { path: { crawler }, query: { cursor }, signal }),
    POLL_INTERVAL_MS,
  );
  return (
    <ResourceView resource={roots}>
      {({ items, next }) => (
        <Panel title="Roots">
          {items.length === 0 ? (
            <EmptyState>
              The crawler has no start URLs: add one to its configuration, or submit one under Try a URL.
            </EmptyState>
          ) : (
            <Rows crawler={crawler} items={items} />
          )}
          <NextPage next={next}>Next page</NextPage>
        </Panel>
      )}
    </ResourceView>
  );
}

const Rows = ({ crawler, items }: { crawler: string; items: readonly RootDto[] }): JSX.Element => (
  <Table name="Start URLs" headers={['URL', 'Status', 'Reason', 'Next visit', 'From']}>
    {items.map(({ url, origin, state }) => (
      <tr key={`${origin} ${url}`}>
        <td class="url-cell">
          <UrlLink crawler={crawler} url={url} />
        </td>
        <td>{state ? <StateBadge name={state.status} /> : 'rejected'}</td>
        <td>{state && <Reason code={state.reason} />}</td>
        <td>
          <Time at={state?.dueAt} due />
        </td>
        <td>{origin}</td>
      </tr>
    ))}
  </Table>
);
