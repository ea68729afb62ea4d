import type { JSX } from 'preact';
import { describeLimit } from '../../api/client.js';
import { useCrawlers } from '../../state/crawlers.js';
import { href } from '../../state/route.js';
import { LoadingNotice } from '../../ui/answers.js';
import { addFullStop, formatCount } from '../../ui/format.js';
import { Panel } from '../../ui/panel.js';
import { LiveEvents } from '../overview/live-events.js';

/** Shows the beginning of the crawl, with a link to the search page once a document is in the index. */
export function CrawlStart({ name, searchPage }: { name: string; searchPage?: string }): JSX.Element {
  const { value: crawlers = [] } = useCrawlers();
  const crawler = crawlers.find((candidate) => candidate.name === name);
  if (!crawler) return <LoadingNotice />;
  const done = crawler.idle && crawler.pendingOrders === 0 && crawler.indexed > 0;
  return (
    <>
      <Panel title={done ? 'The site has been crawled' : 'The crawl is running'}>
        <div class="stack">
          <dl class="figures">
            <div>
              <dt>Documents in the index</dt>
              <dd>{formatCount(crawler.indexed)}</dd>
            </div>
            <div>
              <dt>Stored URLs</dt>
              <dd>{formatCount(Object.values(crawler.counts).reduce((sum, count) => sum + count, 0))}</dd>
            </div>
          </dl>
          <p class="muted">
            {done
              ? 'From now on, the index is kept in sync with the site: pages are revisited as often as they change.'
              : addFullStop(`Limited by: ${describeLimit(crawler.limitedBy)}`)}
          </p>
          <div class="actions">
            {searchPage && crawler.indexed > 0 && (
              <a class="button primary" href={searchPage} target="_blank" rel="noopener noreferrer">
                Search the documents
              </a>
            )}
            <a class="button" href={href('/', { crawler: name })}>
              Go to the overview
            </a>
            <a class="button" href={href('/urls', { crawler: name })}>
              See its URLs
            </a>
          </div>
        </div>
      </Panel>
      <LiveEvents crawler={name} />
    </>
  );
}
