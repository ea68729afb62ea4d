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
import { FullDayContext, useHasFullDay } from './day-known.js';
import { ErrorClass } from './error-class.js';
import { ErrorTrend } from './error-trend.js';

const POLL_INTERVAL_MS = 10_000;

export function Errors(): JSX.Element {
  const crawler = useCrawler();
  const host = useRoute().query.get('host') ?? undefined;
  const [clearing, setClearing] = useState(false);
  const mayOperate = useHasRole('operate');
  const errors = useResource(
    crawler && `errors ${crawler.name} ${host}`,
    (signal) =>
      call('GET /api/v1/crawlers/{crawler}/errors', { path: { crawler: crawler!.name }, query: { host }, signal }),
    POLL_INTERVAL_MS,
  );
  const hasFullDay = useHasFullDay(crawler?.name);
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
      <ResourceView resource={errors}>
        {({ items }) =>
          items.length === 0 ? (
            <Panel title="URLs in error">
              <EmptyState>No URLs are in error.</EmptyState>
            </Panel>
          ) : (
            <FullDayContext.Provider value={hasFullDay}>
              {items.map((errorClass) => (
                <ErrorClass
                  key={errorClass.reason}
                  crawler={crawler.name}
                  host={host}
                  errorClass={errorClass}
                  onRetried={errors.reload}
                />
              ))}
            </FullDayContext.Provider>
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
  const errorCount = crawler.counts['error'] ?? 0;
  const clear = async (): Promise<void> => {
    const { count: forgottenCount } = await call('DELETE /api/v1/crawlers/{crawler}/errors', {
      path: { crawler: crawler.name },
    });
    showNotice(`${formatPlural(forgottenCount, 'URL')} forgotten.`);
    reload();
    onDone();
  };
  return (
    <ConfirmDialog title="Clear error cache" action="Forget them" danger onConfirm={clear} onClose={onClose}>
      <p>
        <strong>
          {formatPlural(errorCount, 'URL')} of {crawler.name} {errorCount === 1 ? 'is' : 'are'} in error.
        </strong>{' '}
        The URLs are forgotten, except roots and those whose document is still in the index: these are visited again.
        The crawler may rediscover forgotten URLs through links.
      </p>
    </ConfirmDialog>
  );
}
