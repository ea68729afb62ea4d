import type { ComponentChildren, JSX } from 'preact';
import type { OrderDto, UrlStateDto } from '../../api/schema.js';
import { href } from '../../state/route.js';
import { formatPlural } from '../../ui/format.js';
import { Prose } from '../../ui/prose.js';
import { useReasons } from '../../ui/reasons.js';
import { StateBadge } from '../../ui/status.js';
import { Time } from '../../ui/time.js';

const DISCOVERED_VIA: Readonly<Record<string, string>> = {
  indexnow: 'its site (IndexNow)',
  root: 'a root',
  link: 'a link',
  redirect: 'a redirect',
  sitemap: 'a sitemap',
  robots: 'robots.txt, as a sitemap',
};

/**
 * Whether an order is waiting for the sinks. A visit is only recorded once they have acknowledged the resulting order.
 */
export const isAwaitingSinks = (orders: readonly OrderDto[]): boolean =>
  orders.some(({ kind, state }) => kind === 'add' && state === 'pending');

export function Facts({ state, awaitsSinks }: { state: UrlStateDto; awaitsSinks: boolean }): JSX.Element {
  const reason = useReasons().get(state.reason);
  const isFirstVisit = awaitsSinks && state.visits === 0;
  return (
    <dl class="facts">
      <Fact label="Status">
        <StateBadge name={state.status} />{' '}
        {isFirstVisit ? (
          'It was fetched; the sinks have yet to acknowledge its order.'
        ) : reason ? (
          <Prose text={reason.meaning} />
        ) : (
          state.reason
        )}
        {state.status === 'error' && reason && (
          <p class="muted">
            <Prose text={reason.remedy} />
          </p>
        )}
      </Fact>
      <Fact label="In the index">
        {state.indexed ? 'yes' : 'no'}
        {state.pendingDeletion && `; its deletion or replacement is pending (${state.pendingDeletion})`}
      </Fact>
      <Fact label="Next visit">
        {awaitsSinks ? (
          'decided once the sinks have acknowledged its order'
        ) : state.dueAt ? (
          <>
            <Time at={state.dueAt} due />{' '}
            <span class="muted">
              (<Time at={state.dueAt} />
              ), source {state.source}
            </span>
          </>
        ) : (
          'none: it is not queued'
        )}
      </Fact>
      <Fact label="Last visit">
        {isFirstVisit ? (
          'not recorded yet'
        ) : (
          <>
            <Time at={state.lastVisitAt} relative /> <span class="muted">of {formatPlural(state.visits, 'visit')}</span>
          </>
        )}
      </Fact>
      <Fact label="Last change">
        {isFirstVisit ? (
          '–'
        ) : state.changes === 0 ? (
          <span class="muted">none since the first visit</span>
        ) : (
          <>
            <Time at={state.lastChangeAt} relative />{' '}
            <span class="muted">{formatPlural(state.changes, 'change')} seen</span>
          </>
        )}
      </Fact>
      <Fact label="First seen">
        <Time at={state.firstSeenAt} />{' '}
        <span class="muted">
          by {DISCOVERED_VIA[state.discoveredVia] ?? state.discoveredVia}, {formatPlural(state.hops, 'hop')} from the
          root
        </span>
      </Fact>
      <Fact label="Host">
        <a href={href('/host', { crawler: state.crawler, host: state.host })}>{state.host}</a>
      </Fact>
      <Fact label="Content type">{state.contentType ?? '–'}</Fact>
      <Fact label="ETag">{state.etag ?? '–'}</Fact>
      <Fact label="Last-Modified">{state.lastModified ?? '–'}</Fact>
      {state.temporaryErrors > 0 && <Fact label="Temporary errors">{state.temporaryErrors} in a row</Fact>}
      {state.stamp && (
        <Fact label="Digest">
          <span class="mono" title={state.stamp}>
            {state.stamp.slice(0, 16)}…
          </span>
        </Fact>
      )}
    </dl>
  );
}

const Fact = ({ label, children }: { label: string; children: ComponentChildren }): JSX.Element => (
  <>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </>
);
