/** Start URLs with what became of each. */
import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import type { RootDto } from '../../api/schema.js';
import { useCrawler } from '../../state/crawlers.js';
import { useResource } from '../../state/resource.js';
import { changeQuery, useRoute } from '../../state/route.js';
import { Empty, Loaded } from '../../ui/answers.js';
import { NoCrawler } from '../../ui/no-crawler.js';
import { PageHead, Panel } from '../../ui/panel.js';
import { Reason } from '../../ui/reasons.js';
import { Scroll } from '../../ui/scroll.js';
import { State } from '../../ui/status.js';
import { Time } from '../../ui/time.js';
import { UrlLink } from '../../ui/url-text.js';

const EVERY_MS = 10_000;

export function Roots(): JSX.Element {
  const crawler = useCrawler()?.name;
  if (!crawler) return <NoCrawler title="Roots" />;
  return (
    <>
      <PageHead title="Roots">Where the crawl of {crawler} begins, and what became of each URL.</PageHead>
      <Of crawler={crawler} />
    </>
  );
}

function Of({ crawler }: { crawler: string }): JSX.Element {
  const cursor = useRoute().query.get('cursor') ?? undefined;
  const roots = useResource(
    `roots ${crawler} ${cursor ?? ''}`,
    (signal) => call('GET /api/v1/crawlers/{crawler}/roots', { path: { crawler }, query: { cursor }, signal }),
    EVERY_MS,
  );
  return (
    <Loaded of={roots}>
      {({ items, next }) => (
        <Panel title="Roots">
          {items.length === 0 ? (
            <Empty>The crawler has no start URL: add one to its configuration, or submit one under Try a URL.</Empty>
          ) : (
            <Table crawler={crawler} items={items} />
          )}
          {next !== null && (
            <button type="button" class="button" onClick={() => changeQuery({ cursor: next })}>
              Next page
            </button>
          )}
        </Panel>
      )}
    </Loaded>
  );
}

const Table = ({ crawler, items }: { crawler: string; items: readonly RootDto[] }): JSX.Element => (
  <Scroll>
    <table>
      <caption class="visually-hidden">Start URLs</caption>
      <thead>
        <tr>
          <th scope="col">URL</th>
          <th scope="col">Status</th>
          <th scope="col">Reason</th>
          <th scope="col">Next visit</th>
          <th scope="col">From</th>
        </tr>
      </thead>
      <tbody>
        {items.map(({ url, origin, state }) => (
          <tr key={`${origin} ${url}`}>
            <td class="url-cell">
              <UrlLink crawler={crawler} url={url} />
            </td>
            <td>{state ? <State name={state.status} /> : 'not taken'}</td>
            <td>{state && <Reason code={state.reason} />}</td>
            <td>
              <Time at={state?.dueAt} relative />
            </td>
            <td>{origin}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </Scroll>
);
