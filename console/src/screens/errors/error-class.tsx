import type { JSX } from 'preact';
import { useContext, useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { ErrorClassDto, ErrorHostDto } from '../../api/schema.js';
import { useResource } from '../../state/resource.js';
import { href } from '../../state/route.js';
import { useHasRole } from '../../state/session.js';
import { ResourceView } from '../../ui/answers.js';
import { formatCount, formatPlural } from '../../ui/format.js';
import { runWithNotice } from '../../ui/notices.js';
import { Panel } from '../../ui/panel.js';
import { Prose } from '../../ui/prose.js';
import { useReasons } from '../../ui/reasons.js';
import { restingHostsText } from '../../ui/resting.js';
import { Badge } from '../../ui/status.js';
import { DayKnown } from './day-known.js';

const EVERY_MS = 10_000;
const HOSTS_SHOWN = 20;
/** Maximum number of hosts: more than anyone reads, and what the server returns in one response. */
const MOST_HOSTS = 1_000;
const URLS_SHOWN = 20;

interface ClassProps {
  readonly crawler: string;
  /** If given, only this host is considered. */
  readonly host?: string;
  readonly of: ErrorClassDto;
  readonly onRetried: () => void;
}

export function ErrorClass({ crawler, host, of, onRetried }: ClassProps): JSX.Element {
  const code = of.reason;
  const entry = useReasons().get(code);
  const mayOperate = useHasRole('operate');
  const retry = (only?: string): Promise<void> =>
    runWithNotice(async () => {
      const { count: due, resting } = await call('POST /api/v1/crawlers/{crawler}/refresh', {
        path: { crawler },
        body: { reason: code, host: only },
      });
      onRetried();
      return `${formatPlural(due, 'URL')} will be retried as soon as politeness allows.${restingHostsText(resting)}`;
    });
  return (
    <Panel
      title={code}
      aside={
        <>
          {entry?.class && <Badge tone={entry.class === 'temporary' ? 'warn' : 'bad'}>{entry.class}</Badge>}
          <a href={href('/urls', { crawler, host, status: 'error', reason: code })}>{formatPlural(of.urls, 'URL')}</a>
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
          On {formatPlural(of.hosts, 'host')}; <Trend of={of} />
        </p>
        {host ? (
          <HostErrors
            crawler={crawler}
            code={code}
            of={{ ...of, host }}
            onRetry={mayOperate ? retry : undefined}
            open
          />
        ) : (
          <Hosts crawler={crawler} of={of} onRetry={mayOperate ? retry : undefined} />
        )}
      </div>
    </Panel>
  );
}

type Counts = Pick<ErrorClassDto, 'urls' | 'lastHour' | 'lastDay'>;

/** Minimum number of failures for a trend. */
const FEW = 5;
const isRising = ({ lastHour, lastDay }: Counts): boolean => lastHour >= FEW && lastHour * 24 > lastDay * 2;

const Trend = ({ of }: { of: Counts }): JSX.Element => (
  <>
    {formatCount(of.lastHour)} tried in the last hour, {formatCount(of.lastDay)} in the last day{' '}
    {useContext(DayKnown) && isRising(of) && (
      <Badge tone="warn" title="The last hour had more than twice the hourly average of the last day">
        rising
      </Badge>
    )}
  </>
);

interface HostsProps {
  readonly crawler: string;
  readonly of: ErrorClassDto;
  readonly onRetry?: (host: string) => void;
}

function Hosts({ crawler, of: { reason, hosts: number }, onRetry }: HostsProps): JSX.Element {
  const [limit, setLimit] = useState(HOSTS_SHOWN);
  const hosts = useResource(
    `error hosts ${crawler} ${reason} ${limit}`,
    (signal) =>
      call('GET /api/v1/crawlers/{crawler}/errors/{reason}/hosts', {
        path: { crawler, reason },
        query: { limit },
        signal,
      }),
    EVERY_MS,
  );
  return (
    <ResourceView of={hosts}>
      {({ items, next }) => (
        <>
          {items.map((host) => (
            <HostErrors key={host.host} crawler={crawler} code={reason} of={host} onRetry={onRetry} />
          ))}
          {next !== null && (
            <div>
              {limit < MOST_HOSTS ? (
                <button type="button" class="button small" onClick={() => setLimit(MOST_HOSTS)}>
                  Show more of {formatPlural(number, 'host')}
                </button>
              ) : (
                <p class="muted">The {formatCount(MOST_HOSTS)} hosts with the most are shown.</p>
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
  readonly of: ErrorHostDto;
  readonly onRetry?: (host: string) => void;
  readonly open?: boolean;
}

function HostErrors({ crawler, code, of, onRetry, open = false }: HostProps): JSX.Element {
  const [isOpen, setOpen] = useState(open);
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {of.host}{' '}
        <span class="muted">
          {formatPlural(of.urls, 'URL')}; <Trend of={of} />
        </span>
      </summary>
      {isOpen && (
        <div class="stack">
          <FailedUrls crawler={crawler} code={code} of={of} />
          {onRetry && (
            <div>
              <button type="button" class="button small" onClick={() => onRetry(of.host)}>
                Retry these {formatCount(of.urls)}
              </button>
            </div>
          )}
        </div>
      )}
    </details>
  );
}

function FailedUrls({ crawler, code, of: { host, urls } }: Omit<HostProps, 'onRetry' | 'open'>): JSX.Element {
  const query = { status: 'error', reason: code, host } as const;
  const failed = useResource(
    `failed ${crawler} ${code} ${host}`,
    (signal) =>
      call('GET /api/v1/crawlers/{crawler}/urls', {
        path: { crawler },
        query: { ...query, limit: URLS_SHOWN },
        signal,
      }),
    EVERY_MS,
  );
  return (
    <ResourceView of={failed}>
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
