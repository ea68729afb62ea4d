import type { JSX } from 'preact';
import { useCrawlers, useUnknownCrawler } from '../state/crawlers.js';
import { href, useRoute } from '../state/route.js';
import { PageHead, Panel } from '../ui/panel.js';

/**
 * Shown instead of a screen whose address names a crawler that does not exist, such as an old link or one from another
 * server.
 */
export function NoSuchCrawler(): JSX.Element {
  const { path, query } = useRoute();
  const { value: crawlers = [] } = useCrawlers();
  return (
    <>
      <PageHead title="No such crawler">There is no crawler named {useUnknownCrawler()}.</PageHead>
      <Panel title="Crawlers">
        {crawlers.length === 0 ? (
          <p>
            The configuration has no crawler yet. <a href="/start">Set up the first crawl.</a>
          </p>
        ) : (
          <ul>
            {crawlers.map(({ name }) => (
              <li key={name}>
                <a href={href(path, { ...Object.fromEntries(query), crawler: name, cursor: undefined })}>{name}</a>
              </li>
            ))}
          </ul>
        )}
      </Panel>
    </>
  );
}
