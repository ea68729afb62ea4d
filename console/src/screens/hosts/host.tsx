import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call, explainPause } from '../../api/client.js';
import type { HostDto, HostRobotsDto } from '../../api/schema.js';
import { useCrawler } from '../../state/crawlers.js';
import { useResource } from '../../state/resource.js';
import { href, useRoute } from '../../state/route.js';
import { useHasRole } from '../../state/session.js';
import { EmptyState, ResourceView } from '../../ui/answers.js';
import { ChoicePrompt } from '../../ui/choose-one.js';
import { formatCount, formatPercent, formatPlural, formatSeconds } from '../../ui/format.js';
import { NoCrawler } from '../../ui/no-crawler.js';
import { runWithNotice, showNotice } from '../../ui/notices.js';
import { PageHead, Panel } from '../../ui/panel.js';
import { PauseDialog } from '../../ui/pause-dialog.js';
import { Reason } from '../../ui/reasons.js';
import { Time } from '../../ui/time.js';
import { Folders } from './folders.js';
import { HostState, NextRequest } from './hosts.js';
import { HostRendering } from './rendering.js';

const POLL_INTERVAL_MS = 4000;

export function Host(): JSX.Element {
  const crawler = useCrawler()?.name;
  const host = useRoute().query.get('host') ?? undefined;
  const view = useResource(
    host && `host ${host}`,
    (signal) => call('GET /api/v1/hosts/{host}', { path: { host: host! }, signal }),
    POLL_INTERVAL_MS,
  );
  if (!crawler) return <NoCrawler title="Host" />;
  if (!host) return <ChoicePrompt title="Host" itemName="host" listPath="/hosts" />;
  return (
    <>
      <PageHead title={host} actions={view.value && <PauseButton host={view.value} onDone={view.reload} />}>
        A web server: how it responds, what it allows, and what is known about it.
      </PageHead>
      <ResourceView resource={view}>
        {(loadedHost) => (
          <>
            <div class="grid">
              <Panel title="Health" aside={<HostState host={loadedHost} />}>
                <Facts host={loadedHost} crawler={crawler} />
              </Panel>
              <Robots host={loadedHost} />
            </div>
            <HostRendering host={host} />
            <Folders crawler={crawler} host={host} />
          </>
        )}
      </ResourceView>
    </>
  );
}

function PauseButton({
  host: { host, paused, queued },
  onDone,
}: {
  host: HostDto;
  onDone: () => void;
}): JSX.Element | null {
  const [isPausing, setIsPausing] = useState(false);
  if (!useHasRole('operate')) return null;
  const resume = (): Promise<void> =>
    runWithNotice(async () => {
      await call('POST /api/v1/hosts/{host}/resume', { path: { host } });
      onDone();
      return `${host} may be fetched again.`;
    });
  const pause = async (until: string | undefined): Promise<void> => {
    await call('POST /api/v1/hosts/{host}/pause', { path: { host }, query: { until } });
    onDone();
    showNotice(`${host} is paused.`);
  };
  return (
    <>
      <button
        type="button"
        class={paused ? 'button primary' : 'button'}
        onClick={paused ? resume : () => setIsPausing(true)}
      >
        {paused ? 'Resume this host' : 'Pause this host…'}
      </button>
      {isPausing && (
        <PauseDialog
          name={host}
          effect={`No crawler fetches from it: ${formatPlural(queued, 'queued URL')} will wait.`}
          onPause={pause}
          onClose={() => setIsPausing(false)}
        />
      )}
    </>
  );
}

function Facts({ host, crawler }: { host: HostDto; crawler: string }): JSX.Element {
  const errors = Object.entries(host.errorClasses).sort(([, a], [, b]) => b - a);
  return (
    <dl class="facts">
      <Fact label="Stored URLs">
        <a href={href('/urls', { crawler, host: host.host })}>{formatCount(host.urls)}</a>, {formatCount(host.indexed)}{' '}
        in the index, {formatCount(host.queued)} scheduled
      </Fact>
      <Fact label="Next request">
        <NextRequest host={host} />
      </Fact>
      <Fact label="Crawl delay">
        {host.crawlDelaySeconds === undefined || host.pauseCause === undefined
          ? 'as set for the crawler'
          : `${formatSeconds(host.crawlDelaySeconds)} after the last page, ${explainPause(host.pauseCause)}`}
      </Fact>
      <Fact label="Response time">
        {host.averageLatencySeconds === undefined ? '–' : `${formatSeconds(host.averageLatencySeconds)} on average`}
      </Fact>
      {Boolean(host.slowPages) && (
        <Fact label="Slow to read">
          {formatPlural(host.slowPages!, 'page')} took longer than a second to read; each of them delays the next
          request to the host
        </Fact>
      )}
      {host.shortTexts && (
        <Fact label="Incomplete texts">
          {Object.entries(host.shortTexts).map(([reason, documents]) => (
            <span key={reason}>
              <a href={href('/urls', { crawler, host: host.host, reason })}>{formatPlural(documents, 'document')}</a> (
              <code>{reason}</code>){' '}
            </span>
          ))}
          in the index with less text than they show
        </Fact>
      )}
      {host.needRendering && (
        <Fact label="Content from scripts">
          <a href={href('/urls', { crawler, host: host.host, reason: 'needs-rendering' })}>
            {formatPlural(host.needRendering.documents, 'document')}
          </a>{' '}
          in the index with hardly any text, because their content is created by scripts
          {host.needRendering.sample && (
            <>
              {' '}
              (for example{' '}
              <a href={href('/url', { crawler, url: host.needRendering.sample })}>{host.needRendering.sample}</a>)
            </>
          )}
          .{' '}
          {host.needRendering.sample && (
            <>
              <a href={href('/try', { crawler, url: host.needRendering.sample, view: 'rendered' })}>
                See what rendering adds
              </a>
              .{' '}
            </>
          )}
          Set <code>render="auto"</code> on the crawler to render such pages.
        </Fact>
      )}
      <Fact label="Success">
        {host.successShare === undefined ? '–' : `${formatPercent(host.successShare)} of the latest visits`}
      </Fact>
      <Fact label="URLs in error">
        <a href={href('/errors', { crawler, host: host.host })}>{formatCount(host.errors)}</a>
      </Fact>
      {errors.length > 0 && (
        <Fact label="Failed visits">
          {errors.map(([code, count]) => (
            <div key={code}>
              <Reason code={code} /> {formatCount(count)}
            </div>
          ))}
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

function Robots({ host: { robots } }: { host: HostDto }): JSX.Element {
  return (
    <Panel
      title="robots.txt"
      aside={
        robots && (
          <>
            {robots.status}, fetched <Time at={robots.fetchedAt} relative />
          </>
        )
      }
    >
      {robots ? (
        robots.text ? (
          <pre class="file">{robots.text}</pre>
        ) : (
          <EmptyState>{explainMissingRobots(robots)}</EmptyState>
        )
      ) : (
        <EmptyState>Not in memory at the moment; it is fetched before the next visit.</EmptyState>
      )}
    </Panel>
  );
}

function explainMissingRobots({ state, status }: HostRobotsDto): string {
  if (state === 'unreachable') return 'It could not be read; nothing is fetched from the host until it can be.';
  if (state === 'absent' && /^[34]/.test(status) && status !== '429')
    return 'The host has no robots.txt: everything is allowed.';
  if (state === 'rules' && status.startsWith('2')) return 'The file is empty: everything is allowed.';
  return 'It could not be read this time, so the previous version still applies.';
}
