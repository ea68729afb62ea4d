import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { CrawlerDto } from '../../api/schema.js';
import { useCrawler, useCrawlers } from '../../state/crawlers.js';
import { useResource } from '../../state/resource.js';
import { href, useRoute } from '../../state/route.js';
import { useHasRole } from '../../state/session.js';
import { EmptyState, ResourceView } from '../../ui/answers.js';
import { ConfirmDialog } from '../../ui/dialog.js';
import { formatPlural } from '../../ui/format.js';
import { NoCrawler } from '../../ui/no-crawler.js';
import { showNotice } from '../../ui/notices.js';
import { PageHead, Panel } from '../../ui/panel.js';
import { DayKnown, useHasFullDay } from './day-known.js';
import { ErrorClass } from './error-class.js';
import { ErrorTrend } from './error-trend.js';

const EVERY_MS = 10_000;

export function Errors(): JSX.Element {
  const crawler = useCrawler();
  const host = useRoute().query.get('host') ?? undefined;
  const [clearing, setClearing] = useState(false);
  const mayOperate = useHasRole('operate');
  const errors = useResource(
    crawler && `errors ${crawler.name} ${host}`,
    (signal) =>
      call('GET /api/v1/crawlers/{crawler}/errors', { path: { crawler: crawler!.name }, query: { host }, signal }),
    EVERY_MS,
  );
  const dayKnown = useHasFullDay(crawler?.name);
  if (!crawler) return <NoCrawler title="Errors" />;
  return (
    <>
      <PageHead
        title="Errors"
        actions={
          mayOperate && (
            <button type="button" class="button danger" onClick={() => setClearing(true)}>
              Clear error cache…
            </button>
          )
        }
      >
        URLs whose last visit failed, by class and host, and what can be done about each.
        {host && (
          <>
            {' '}
            Only {host}. <a href={href('/errors', { crawler: crawler.name })}>Show all hosts.</a>
          </>
        )}
      </PageHead>
      <ErrorTrend crawler={crawler.name} />
      <ResourceView of={errors}>
        {({ items }) =>
          items.length === 0 ? (
            <Panel title="URLs in error">
              <EmptyState>No URL is in error.</EmptyState>
            </Panel>
          ) : (
            <DayKnown.Provider value={dayKnown}>
              {items.map((one) => (
                <ErrorClass key={one.reason} crawler={crawler.name} host={host} of={one} onRetried={errors.reload} />
              ))}
            </DayKnown.Provider>
          )
        }
      </ResourceView>
      {clearing && <ClearErrorsDialog crawler={crawler} onClose={() => setClearing(false)} onDone={errors.reload} />}
    </>
  );
}

interface ClearProps {
  readonly crawler: CrawlerDto;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function ClearErrorsDialog({ crawler, onClose, onDone }: ClearProps): JSX.Element {
  const { reload } = useCrawlers();
  const number = crawler.counts['error'] ?? 0;
  const clear = async (): Promise<void> => {
    const { count: forgotten } = await call('DELETE /api/v1/crawlers/{crawler}/errors', {
      path: { crawler: crawler.name },
    });
    showNotice(`${formatPlural(forgotten, 'URL')} forgotten.`);
    reload();
    onDone();
  };
  return (
    <ConfirmDialog title="Clear error cache" action="Forget them" danger onConfirm={clear} onClose={onClose}>
      <p>
        <strong>
          {formatPlural(number, 'URL')} of {crawler.name} {number === 1 ? 'is' : 'are'} in error.
        </strong>{' '}
        The URLs are forgotten, except those whose document is still in the index: these are visited again. The crawler
        may rediscover forgotten URLs through links.
      </p>
    </ConfirmDialog>
  );
}
