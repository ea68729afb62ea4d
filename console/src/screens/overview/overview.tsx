import type { JSX } from 'preact';
import type { CrawlerDto } from '../../api/schema.js';
import { useCrawler, useCrawlers } from '../../state/crawlers.js';
import { useHasRole } from '../../state/session.js';
import { NoCrawler } from '../../ui/no-crawler.js';
import { PageHead } from '../../ui/panel.js';
import { Alerts } from './alerts.js';
import { CrawlerCard } from './crawler-card.js';
import { FormerCrawlers } from './former-crawlers.js';
import { LiveEvents } from './live-events.js';
import { Moves } from './moves.js';
import { RateHistory } from './rate-history.js';

export function Overview(): JSX.Element {
  const { value: crawlers } = useCrawlers();
  const chosenCrawler = useCrawler();
  const mayAdd = useHasRole('admin');
  if (!crawlers || !chosenCrawler) return <NoCrawler title="Overview" />;
  return (
    <>
      <PageHead title="Overview" actions={mayAdd && <NewCrawl />}>
        What each crawler is doing now, what limits it, and what needs your attention.
      </PageHead>
      <FormerCrawlers crawlers={crawlers} />
      <Alerts crawler={chosenCrawler} />
      <Moves crawler={chosenCrawler.name} />
      {sortChosenFirst(crawlers, chosenCrawler).map((crawler) => (
        <CrawlerCard key={crawler.name} crawler={crawler} />
      ))}
      <div class="grid">
        <RateHistory crawler={chosenCrawler.name} />
        <LiveEvents crawler={chosenCrawler.name} />
      </div>
    </>
  );
}

/** Puts the chosen crawler first, because the charts and events below it show that crawler. */
const sortChosenFirst = (crawlers: readonly CrawlerDto[], chosenCrawler: CrawlerDto): CrawlerDto[] => [
  chosenCrawler,
  ...crawlers.filter(({ name }) => name !== chosenCrawler.name),
];

const NewCrawl = (): JSX.Element => (
  <a class="button" href="/start">
    New crawl…
  </a>
);
