import type { JSX } from 'preact';
import type { CrawlerDto } from '../../api/schema.js';
import { useCrawler, useCrawlers } from '../../state/crawlers.js';
import { useHasRole } from '../../state/session.js';
import { NoCrawler } from '../../ui/no-crawler.js';
import { PageHead } from '../../ui/panel.js';
import { Alerts } from './alerts.js';
import { CrawlerCard } from './crawler-card.js';
import { LiveEvents } from './live-events.js';
import { RateHistory } from './rate-history.js';

export function Overview(): JSX.Element {
  const { value: crawlers } = useCrawlers();
  const chosen = useCrawler();
  const mayAdd = useHasRole('admin');
  if (!crawlers || !chosen) return <NoCrawler />;
  return (
    <>
      <PageHead title="Overview" actions={mayAdd && <NewCrawl />}>
        What each crawler is doing now, what limits it, and what needs your attention.
      </PageHead>
      <Alerts crawler={chosen} />
      {sortChosenFirst(crawlers, chosen).map((crawler) => (
        <CrawlerCard key={crawler.name} crawler={crawler} />
      ))}
      <div class="grid">
        <RateHistory crawler={chosen.name} />
        <LiveEvents crawler={chosen.name} />
      </div>
    </>
  );
}

/** Puts the chosen crawler first, because the charts and events below are about it. */
const sortChosenFirst = (crawlers: readonly CrawlerDto[], chosen: CrawlerDto): CrawlerDto[] => [
  chosen,
  ...crawlers.filter(({ name }) => name !== chosen.name),
];

const NewCrawl = (): JSX.Element => (
  <a class="button" href="/start">
    New crawl…
  </a>
);
