import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import type { UrlHistoryDto } from '../../api/schema.js';
import { useCrawler } from '../../state/crawlers.js';
import { type Resource, useResource } from '../../state/resource.js';
import { href, useRoute } from '../../state/route.js';
import { EmptyState, ResourceView } from '../../ui/answers.js';
import { ChoicePrompt } from '../../ui/choose-one.js';
import { Headline } from '../../ui/headline.js';
import { NoCrawler } from '../../ui/no-crawler.js';
import { PageHead, Panel } from '../../ui/panel.js';
import { StateBadge } from '../../ui/status.js';
import { Time } from '../../ui/time.js';
import { PageLink } from '../../ui/url-text.js';
import { Verdict } from '../../ui/verdict.js';
import { Facts, isAwaitingSinks } from './facts.js';
import { Orders } from './orders.js';
import { UrlHistoryActions } from './url-history-actions.js';
import { Visits } from './visits.js';

const POLL_INTERVAL_MS = 4000;

export function UrlHistoryScreen(): JSX.Element {
  const crawler = useCrawler()?.name;
  const url = useRoute().query.get('url');
  if (!crawler) return <NoCrawler title="URL history" />;
  if (!url) return <ChoicePrompt title="URL history" itemName="URL" listPath="/urls" />;
  return <UrlHistoryView crawler={crawler} url={url} />;
}

function UrlHistoryView({ crawler, url }: { crawler: string; url: string }): JSX.Element {
  const urlHistory = useResource(
    `URL history ${crawler} ${url}`,
    (signal) => call('GET /api/v1/crawlers/{crawler}/url', { path: { crawler }, query: { url }, signal }),
    POLL_INTERVAL_MS,
  );
  const isUnknown = urlHistory.problem?.status === 404 && !urlHistory.value;
  return (
    <>
      <PageHead
        title={urlHistory.value?.state.title ?? 'URL history'}
        actions={
          <>
            <PageLink url={url} />
            {urlHistory.value && <UrlHistoryActions state={urlHistory.value.state} onDone={urlHistory.reload} />}
          </>
        }
      >
        <span class="url">{url}</span>
      </PageHead>
      {isUnknown ? <UnknownUrl crawler={crawler} url={url} /> : <KnownUrl urlHistory={urlHistory} crawler={crawler} />}
    </>
  );
}

const KnownUrl = ({ urlHistory, crawler }: { urlHistory: Resource<UrlHistoryDto>; crawler: string }): JSX.Element => (
  <ResourceView resource={urlHistory}>
    {({ headline, state, path, explanation, robots, queue, visits, orders, behind, listedLinks }) => (
      <>
        <Headline headline={headline} crawler={crawler} />
        <div class="grid">
          <Panel title="What is known">
            <Facts state={state} awaitsSinks={isAwaitingSinks(orders)} />
          </Panel>
          <Panel title="How it was found">
            <ol class="path">
              {path.map((step) => (
                <li key={step}>
                  <a class="url" href={href('/url', { crawler, url: step })}>
                    {step}
                  </a>
                </li>
              ))}
            </ol>
          </Panel>
        </div>
        <Panel title="Fetches">
          <Visits visits={visits} awaitsSinks={isAwaitingSinks(orders)} />
        </Panel>
        <Panel title="Push orders">
          {behind.map(({ sink, since }) => (
            <p key={sink}>
              The sink {sink} has been behind since <Time at={since} relative />; it receives what is indexed once it
              catches up.
            </p>
          ))}
          <Orders orders={orders} />
        </Panel>
        {listedLinks.length > 0 && (
          <Panel title="Links waiting for a decision">
            <ul>
              {listedLinks.map((link) => (
                <li key={link.url}>
                  <a class="url" href={href('/try', { crawler, url: link.url, from: state.url })}>
                    {link.url}
                  </a>{' '}
                  {link.state ? <StateBadge name={link.state.status} /> : <span class="muted">not stored</span>}
                </li>
              ))}
            </ul>
          </Panel>
        )}
        <Panel title="Verdict">
          <Verdict explanation={explanation} robots={robots} queue={queue} crawler={crawler} />
        </Panel>
      </>
    )}
  </ResourceView>
);

const UnknownUrl = ({ crawler, url }: { crawler: string; url: string }): JSX.Element => (
  <EmptyState>
    {crawler} does not know this URL: no page visited so far links to it, or the policy refused the link.{' '}
    <a href={href('/try', { crawler, url })}>Show what the policy decides about it.</a>
  </EmptyState>
);
