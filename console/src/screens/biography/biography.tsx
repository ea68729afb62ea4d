import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import type { BiographyDto } from '../../api/schema.js';
import { useCrawler } from '../../state/crawlers.js';
import { type Resource, useResource } from '../../state/resource.js';
import { href, useRoute } from '../../state/route.js';
import { Empty, Loaded } from '../../ui/answers.js';
import { NoCrawler } from '../../ui/no-crawler.js';
import { PageHead, Panel } from '../../ui/panel.js';
import { OpenPage } from '../../ui/url-text.js';
import { Verdict } from '../../ui/verdict.js';
import { BiographyActions } from './biography-actions.js';
import { awaitsSinks, Facts } from './facts.js';
import { Orders } from './orders.js';
import { Visits } from './visits.js';

const EVERY_MS = 4000;

export function BiographyScreen(): JSX.Element {
  const crawler = useCrawler()?.name;
  const url = useRoute().query.get('url');
  if (!crawler) return <NoCrawler title="Biography of a URL" />;
  if (!url) {
    return (
      <>
        <PageHead title="Biography of a URL" />
        <Empty>
          Which URL? <a href="/urls">Choose one from the list.</a>
        </Empty>
      </>
    );
  }
  return <Of crawler={crawler} url={url} />;
}

function Of({ crawler, url }: { crawler: string; url: string }): JSX.Element {
  const biography = useResource(
    `biography ${crawler} ${url}`,
    (signal) => call('GET /api/v1/crawlers/{crawler}/url', { path: { crawler }, query: { url }, signal }),
    EVERY_MS,
  );
  const unknown = biography.problem?.status === 404 && !biography.value;
  return (
    <>
      <PageHead
        title={biography.value?.state.title ?? 'Biography of a URL'}
        actions={
          <>
            <OpenPage url={url} />
            {biography.value && <BiographyActions state={biography.value.state} onDone={biography.reload} />}
          </>
        }
      >
        <span class="url">{url}</span>
      </PageHead>
      {unknown ? <Unknown crawler={crawler} url={url} /> : <Life biography={biography} crawler={crawler} />}
    </>
  );
}

const Life = ({ biography, crawler }: { biography: Resource<BiographyDto>; crawler: string }): JSX.Element => (
  <Loaded of={biography}>
    {({ state, path, explanation, robots, visits, orders }) => (
      <>
        <div class="grid">
          <Panel title="What is known">
            <Facts state={state} awaits={awaitsSinks(orders)} />
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
          <Visits visits={visits} awaits={awaitsSinks(orders)} />
        </Panel>
        <Panel title="Push orders">
          <Orders orders={orders} />
        </Panel>
        <Panel title="Verdict">
          <Verdict explanation={explanation} robots={robots} crawler={crawler} />
        </Panel>
      </>
    )}
  </Loaded>
);

const Unknown = ({ crawler, url }: { crawler: string; url: string }): JSX.Element => (
  <Empty>
    {crawler} does not know this URL: no page that it has read links to it, or the policy refused the link.{' '}
    <a href={href('/try', { crawler, url })}>Ask what the policy says of it.</a>
  </Empty>
);
