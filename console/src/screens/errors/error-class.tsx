import type { JSX } from 'preact';
import { useContext, useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { ErrorClassDto, ErrorHostDto, ReasonCodeDto } from '../../api/schema.js';
import { useResource } from '../../state/resource.js';
import { href } from '../../state/route.js';
import { useHasRole } from '../../state/session.js';
import { ResourceView } from '../../ui/answers.js';
import { formatCount, formatPlural } from '../../ui/format.js';
import { runWithNotice } from '../../ui/notices.js';
import { Panel } from '../../ui/panel.js';
import { Prose } from '../../ui/prose.js';
import { useReasons } from '../../ui/reasons.js';
import { describeRestingHosts } from '../../ui/resting.js';
import { Badge } from '../../ui/status.js';
import { FullDayContext } from './day-known.js';

const POLL_INTERVAL_MS = 10_000;
const INITIAL_HOST_LIMIT = 20;
/** Maximum number of hosts shown: the limit of one response, and more than anyone reads. */
const MAX_HOSTS = 1_000;
const MAX_URLS_SHOWN = 20;

interface ClassProps {
  readonly crawler: string;
  /** If given, only this host is considered. */
  readonly host?: string;
  readonly errorClass: ErrorClassDto;
  readonly onRetried: () => void;
}

export function ErrorClass({ crawler, host, errorClass, onRetried }: ClassProps): JSX.Element {
  const code = errorClass.reason;
  const entry = useReasons().get(code);
  const mayOperate = useHasRole('operate');
  const retry = (onlyHost?: string): Promise<void> =>
    runWithNotice(async () => {
      const { count: dueCount, resting } = await call('POST /api/v1/crawlers/{crawler}/refresh', {
        path: { crawler },
        body: { reason: code as ReasonCodeDto, host: onlyHost },
      });
      onRetried();
      return `${formatPlural(dueCount, 'URL')} will be retried as soon as politeness allows.${describeRestingHosts(resting)}`;
    });
  return (
    <Panel
      title={code}
      aside={
        <>
          {entry?.class && <Badge tone={entry.class === 'temporary' ? 'warn' : 'bad'}>{entry.class}</Badge>}
          <a href={href('/urls', { crawler, host, status: 'error', reason: code })}>
            {formatPlural(errorClass.urls, 'URL')}
          </a>
          {mayOperate && (
            <button type="button" class="button" aria-label={`Retry all URLs with ${code}`} onClick={() => retry(host)}>
              Retry all
            </button>
          )}
        </>
      }
    >
      <div class="stack">
        {entry && (
          <p>
            <Prose text={entry.meaning} />{' '}
            <span class="muted">
              <Prose text={entry.remedy} />
            </span>
          </p>
        )}
        <p class="muted">
          On {formatPlural(errorClass.hosts, 'host')}; <Trend of={errorClass} />
        </p>
        {host ? (
          <HostErrors
            crawler={crawler}
            code={code}
            hostErrors={{ ...errorClass, host }}
            onRetry={mayOperate ? retry : undefined}
            open
          />
        ) : (
          <Hosts crawler={crawler} errorClass={errorClass} onRetry={mayOperate ? retry : undefined} />
        )}
      </div>
    </Panel>
  );
}

type Counts = Pick<ErrorClassDto, 'urls' | 'lastHour' | 'lastDay'>;

/** Minimum number of failures in the last hour for a rising trend. */
const MIN_FAILURES = 5;
const isRising = ({ lastHour, lastDay }: Counts): boolean => lastHour >= MIN_FAILURES && lastHour * 24 > lastDay * 2;

const Trend = ({ of: counts }: { of: Counts }): JSX.Element => (
  <>
    {formatCount(counts.lastHour)} tried in the last hour, {formatCount(counts.lastDay)} in the last day{' '}
    {useContext(FullDayContext) && isRising(counts) && (
      <Badge tone="warn" title="The last hour had more than twice the hourly average of the last day">
        rising
      </Badge>
    )}
  </>
);

interface HostsProps {
  readonly crawler: string;
  readonly errorClass: ErrorClassDto;
  readonly onRetry?: (host: string) => void;
}

function Hosts({ crawler, errorClass: { reason, hosts: hostCount }, onRetry }: HostsProps): JSX.Element {
  const [limit, setLimit] = useState(INITIAL_HOST_LIMIT);
  const hosts = useResource(
    `error hosts ${crawler} ${reason} ${limit}`,
    (signal) =>
      call('GET /api/v1/crawlers/{crawler}/errors/{reason}/hosts', {
        path: { crawler, reason },
        query: { limit },
        signal,
      }),
    POLL_INTERVAL_MS,
  );
  return (
    <ResourceView resource={hosts}>
      {({ items, next }) => (
        <>
          {items.map((host) => (
            <HostErrors key={host.host} crawler={crawler} code={reason} hostErrors={host} onRetry={onRetry} />
          ))}
          {next !== null && (
            <div>
              {limit < MAX_HOSTS ? (
                <button type="button" class="button small" onClick={() => setLimit(MAX_HOSTS)}>
                  Show more of {formatPlural(hostCount, 'host')}
                </button>
              ) : (
                <p class="muted">Only the {formatCount(MAX_HOSTS)} hosts with the most errors are shown.</p>
              )}
            </div>
          )}
        </>
      )}
    </ResourceView>
  );
}

interface HostProps {
  readonly crawler: string;
  readonly code: string;
  readonly hostErrors: ErrorHostDto;
  readonly onRetry?: (host: string) => void;
  readonly open?: boolean;
}

function HostErrors({ crawler, code, hostErrors, onRetry, open = false }: HostProps): JSX.Element {
  const [isOpen, setOpen] = useState(open);
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {hostErrors.host}{' '}
        <span class="muted">
          {formatPlural(hostErrors.urls, 'URL')}; <Trend of={hostErrors} />
        </span>
      </summary>
      {isOpen && (
        <div class="stack">
          <FailedUrls crawler={crawler} code={code} hostErrors={hostErrors} />
          {onRetry && (
            <div>
              <button type="button" class="button small" onClick={() => onRetry(hostErrors.host)}>
                Retry these {formatCount(hostErrors.urls)}
              </button>
            </div>
          )}
        </div>
      )}
    </details>
  );
}

function FailedUrls({ crawler, code, hostErrors: { host, urls } }: Omit<HostProps, 'onRetry' | 'open'>): JSX.Element {
  const query = { status: 'error', reason: code as ReasonCodeDto, host } as const;
  const failedUrls = useResource(
    `failed ${crawler} ${code} ${host}`,
    (signal) =>
      call('GET /api/v1/crawlers/{crawler}/urls', {
        path: { crawler },
        query: { ...query, limit: MAX_URLS_SHOWN },
        signal,
      }),
    POLL_INTERVAL_MS,
  );
  return (
    <ResourceView resource={failedUrls}>
      {({ items }) => (
        <>
          <ul class="tree">
            {items.map(({ id, url, lastStatus, temporaryErrors, indexed }) => (
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
          {urls > items.length && (
            <p class="muted">
              <a href={href('/urls', { crawler, ...query })}>See all {formatCount(urls)} in the list</a>
            </p>
          )}
        </>
      )}
    </ResourceView>
  );
}
