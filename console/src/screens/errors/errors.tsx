import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { CrawlerDto, UrlStateDto } from '../../api/schema.js';
import { useCrawler, useCrawlers } from '../../state/crawlers.js';
import { useResource } from '../../state/resource.js';
import { href, useRoute } from '../../state/route.js';
import { useMay } from '../../state/session.js';
import { Empty, Loaded, Loading } from '../../ui/answers.js';
import { Confirm } from '../../ui/dialog.js';
import { count, plural } from '../../ui/format.js';
import { attempt, say } from '../../ui/notices.js';
import { PageHead, Panel } from '../../ui/panel.js';
import { useReasons } from '../../ui/reasons.js';
import { Badge } from '../../ui/status.js';
import { type ErrorGroup, groupErrors, readErrors } from './error-groups.js';
import { ErrorTrend } from './error-trend.js';

const EVERY_MS = 10_000;
const URLS_SHOWN = 20;

export function Errors(): JSX.Element {
  const crawler = useCrawler();
  const host = useRoute().query.get('host') ?? undefined;
  const [clearing, setClearing] = useState(false);
  const mayOperate = useMay('operate');
  const errors = useResource(
    crawler && `errors ${crawler.name} ${host}`,
    (signal) => readErrors(crawler!.name, host, signal),
    EVERY_MS,
  );
  if (!crawler) return <Loading />;
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
      <Loaded of={errors}>
        {({ items, complete }) =>
          items.length === 0 ? (
            <Panel title="URLs in error">
              <Empty>No URL is in error.</Empty>
            </Panel>
          ) : (
            <>
              {!complete && (
                <p class="notice warn">The first {count(items.length)} URLs in error are shown and counted.</p>
              )}
              {groupErrors(items).map((group) => (
                <Group key={group.code} crawler={crawler.name} group={group} onRetried={errors.reload} />
              ))}
            </>
          )
        }
      </Loaded>
      {clearing && <ClearErrors crawler={crawler} onClose={() => setClearing(false)} onDone={errors.reload} />}
    </>
  );
}

interface GroupProps {
  readonly crawler: string;
  readonly group: ErrorGroup;
  readonly onRetried: () => void;
}

function Group({ crawler, group: { code, urls, hosts }, onRetried }: GroupProps): JSX.Element {
  const entry = useReasons().get(code);
  const mayOperate = useMay('operate');
  const retry = (host?: string): Promise<void> =>
    attempt(async () => {
      const { count: due } = await call('POST /api/v1/crawlers/{crawler}/refresh', {
        path: { crawler },
        body: { reason: code, host },
      });
      onRetried();
      return `${plural(due, 'URL')} will be tried again as soon as politeness allows.`;
    });
  return (
    <Panel
      title={code}
      aside={
        <>
          {entry?.class && <Badge tone={entry.class === 'temporary' ? 'warn' : 'bad'}>{entry.class}</Badge>}
          <a href={href('/urls', { crawler, status: 'error', reason: code })}>{plural(urls.length, 'URL')}</a>
          {mayOperate && (
            <button type="button" class="button" aria-label={`Retry all URLs with ${code}`} onClick={() => retry()}>
              Retry all
            </button>
          )}
        </>
      }
    >
      <div class="stack">
        {entry && (
          <p>
            {entry.meaning} <span class="muted">{entry.remedy}</span>
          </p>
        )}
        {hosts.map(({ host, urls: ofHost }) => (
          <details key={host}>
            <summary>
              {host} <span class="muted">{plural(ofHost.length, 'URL')}</span>
            </summary>
            <HostErrors crawler={crawler} urls={ofHost} onRetry={mayOperate ? () => retry(host) : undefined} />
          </details>
        ))}
      </div>
    </Panel>
  );
}

interface HostErrorsProps {
  readonly crawler: string;
  readonly urls: readonly UrlStateDto[];
  readonly onRetry?: () => void;
}

const HostErrors = ({ crawler, urls, onRetry }: HostErrorsProps): JSX.Element => (
  <div class="stack">
    <ul class="tree">
      {urls.slice(0, URLS_SHOWN).map(({ id, url, lastStatus, temporaryErrors, indexed }) => (
        <li key={id} class="leaf">
          <a class="url" href={href('/url', { crawler, url })}>
            {url}
          </a>
          <span class="muted">
            {lastStatus !== undefined && `HTTP ${lastStatus}`}{' '}
            {temporaryErrors > 1 && `${temporaryErrors} times in a row`}
          </span>
          {indexed && <Badge tone="warn">still in the index</Badge>}
        </li>
      ))}
    </ul>
    {urls.length > URLS_SHOWN && <p class="muted">and {count(urls.length - URLS_SHOWN)} more</p>}
    {onRetry && (
      <div>
        <button type="button" class="button small" onClick={onRetry}>
          Retry these {count(urls.length)}
        </button>
      </div>
    )}
  </div>
);

interface ClearProps {
  readonly crawler: CrawlerDto;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function ClearErrors({ crawler, onClose, onDone }: ClearProps): JSX.Element {
  const { reload } = useCrawlers();
  const number = crawler.counts['error'] ?? 0;
  const clear = async (): Promise<void> => {
    const { count: forgotten } = await call('DELETE /api/v1/crawlers/{crawler}/errors', {
      path: { crawler: crawler.name },
    });
    say(`${plural(forgotten, 'URL')} forgotten.`);
    reload();
    onDone();
  };
  return (
    <Confirm title="Clear error cache" action="Forget them" danger onConfirm={clear} onClose={onClose}>
      <p>
        <strong>
          {plural(number, 'URL')} of {crawler.name} {number === 1 ? 'is' : 'are'} in error.
        </strong>{' '}
        They are forgotten; one whose document is still in the index is visited again instead. A link to one of them
        finds it anew.
      </p>
    </Confirm>
  );
}
