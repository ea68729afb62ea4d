/** Shows links that were refused and never stored, by reason and host, with samples. */
import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import type { RefusedDto } from '../../api/schema.js';
import { useCrawler } from '../../state/crawlers.js';
import { useResource } from '../../state/resource.js';
import { href } from '../../state/route.js';
import { EmptyState, ResourceView } from '../../ui/answers.js';
import { NoCrawler } from '../../ui/no-crawler.js';
import { PageHead, Panel } from '../../ui/panel.js';
import { Reason } from '../../ui/reasons.js';
import { Table } from '../../ui/table.js';

const POLL_INTERVAL_MS = 10_000;

export function RefusedScreen(): JSX.Element {
  const crawler = useCrawler()?.name;
  if (!crawler) return <NoCrawler title="Refused links" />;
  return (
    <>
      <PageHead title="Refused links">
        Links that {crawler} has found since the server started but refused, by reason and host.
      </PageHead>
      <RefusedLinks crawler={crawler} />
    </>
  );
}

function RefusedLinks({ crawler }: { crawler: string }): JSX.Element {
  const refused = useResource(
    `refused ${crawler}`,
    (signal) => call('GET /api/v1/crawlers/{crawler}/refused', { path: { crawler }, signal }),
    POLL_INTERVAL_MS,
  );
  return (
    <ResourceView resource={refused}>
      {({ items }) => (
        <Panel title="By reason and host">
          {items.length === 0 ? (
            <EmptyState>
              No links have been refused since the server started. Links are counted again when the pages that contain
              them change.
            </EmptyState>
          ) : (
            <Links crawler={crawler} items={items} />
          )}
        </Panel>
      )}
    </ResourceView>
  );
}

const Links = ({ crawler, items }: { crawler: string; items: readonly RefusedDto[] }): JSX.Element => (
  <Table name="Refused links by reason and host" headers={['Links', 'Reason', 'Host', 'Sample']}>
    {items.map(({ reason, host, count, samples }) => (
      <tr key={`${reason} ${host}`}>
        <td>{count}</td>
        <td>
          <Reason code={reason} />
        </td>
        <td class="mono">{host}</td>
        <td class="url-cell">
          {samples.map(({ url, from }) => (
            <p key={url}>
              <a class="url" href={href('/try', { crawler, url, from })}>
                {url}
              </a>{' '}
              <span class="muted">
                on <span class="url">{from}</span>
              </span>
            </p>
          ))}
        </td>
      </tr>
    ))}
  </Table>
);
