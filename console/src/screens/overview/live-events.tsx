import type { JSX } from 'preact';
import type { LiveEvent } from '../../api/events.js';
import { useLiveEvents } from '../../state/live.js';
import { EmptyState } from '../../ui/answers.js';
import { formatBytes, formatSeconds } from '../../ui/format.js';
import { Panel } from '../../ui/panel.js';
import { Badge, OutcomeBadge } from '../../ui/status.js';
import { formatTimeOfDay } from '../../ui/time.js';
import { UrlLink } from '../../ui/url-text.js';

export function LiveEvents({ crawler }: { crawler: string }): JSX.Element {
  const { connected, events } = useLiveEvents();
  const shownEvents = events.filter((event) => !('crawler' in event) || event.crawler === crawler);
  return (
    <Panel title="Right now" aside={connected ? 'live, a sample of events' : 'connecting…'}>
      {shownEvents.length === 0 ? (
        <EmptyState>
          Nothing is happening at the moment. Visits, orders and changes appear here as they happen.
        </EmptyState>
      ) : (
        <ul class="live">
          {shownEvents.map((event) => (
            <li key={createEventKey(event)}>
              <EventLine event={event} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

const createEventKey = (event: LiveEvent): string =>
  `${event.type} ${event.at} ${'url' in event ? event.url : 'uri' in event ? `${event.id} ${event.state}` : ''}`;

function EventLine({ event }: { event: LiveEvent }): JSX.Element {
  switch (event.type) {
    case 'visit':
      return (
        <>
          <EventTime at={event.at} />
          <span>
            <OutcomeBadge code={event.outcome} />
          </span>
          <UrlLink crawler={event.crawler} url={event.url} />
          <span class="number muted">
            {formatSeconds(event.durationMs / 1000)}, {formatBytes(event.bytes)}
          </span>
        </>
      );
    case 'order':
      return (
        <>
          <EventTime at={event.at} />
          <span>
            <OrderBadge kind={event.kind} state={event.state} />
          </span>
          <UrlLink crawler={event.crawler} url={event.uri} />
          <span class="number muted">{event.reason}</span>
        </>
      );
    case 'verdict':
      return (
        <>
          <EventTime at={event.at} />
          <span>
            <Badge tone="plain">rejected</Badge>
          </span>
          <UrlLink crawler={event.crawler} url={event.url} />
          <span class="number muted">{event.reason}</span>
        </>
      );
    default:
      return (
        <>
          <EventTime at={event.at} />
          <span>
            <Badge tone="warn">{event.type}</Badge>
          </span>
          <span>{describeEvent(event)}</span>
          <span />
        </>
      );
  }
}

const DONE_LABELS = { add: 'added', delete: 'deleted' } as const;

const OrderBadge = ({ kind, state }: { kind: 'add' | 'delete'; state: string }): JSX.Element =>
  state === 'acknowledged' ? (
    <Badge tone="info">{DONE_LABELS[kind]}</Badge>
  ) : (
    <Badge tone="bad">{`${kind} ${state}`}</Badge>
  );

const EventTime = ({ at }: { at: string }): JSX.Element => (
  <time class="muted" dateTime={at} title={at}>
    {formatTimeOfDay(at)}
  </time>
);

function describeEvent(event: Exclude<LiveEvent, { type: 'visit' | 'order' | 'verdict' }>): string {
  if (event.type === 'crawler') return `${event.crawler} is ${event.state}`;
  if (event.type === 'sink') return `${event.sink} is ${event.state}${event.message ? `: ${event.message}` : ''}`;
  if (event.type === 'login')
    return `login ${event.login} is ${event.state}${event.message ? `: ${event.message}` : ''}`;
  if (event.type === 'host') return `${event.hostKey}: ${event.state}`;
  return event.message;
}
