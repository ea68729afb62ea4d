import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import type { JudgedDto } from '../../api/schema.js';
import { useAddressForm } from '../../state/address-form.js';
import { useCrawler } from '../../state/crawlers.js';
import { getPlaceLink } from '../../state/place.js';
import { useResource } from '../../state/resource.js';
import { changeQuery, href, useRoute } from '../../state/route.js';
import { useHasRole } from '../../state/session.js';
import { EmptyState, ResourceView } from '../../ui/answers.js';
import { formatPlural } from '../../ui/format.js';
import { Headline } from '../../ui/headline.js';
import { NoCrawler } from '../../ui/no-crawler.js';
import { PageHead, Panel } from '../../ui/panel.js';
import { StateBadge } from '../../ui/status.js';
import { Verdict } from '../../ui/verdict.js';
import { LinksOfPage } from './links-of-page.js';
import { OtherCrawlers } from './other-crawlers.js';
import { QueueButton } from './queue-urls.js';
import { Selectors } from './selectors.js';

export function TryUrl(): JSX.Element {
  const crawler = useCrawler()?.name;
  const { query } = useRoute();
  const mayFetch = useHasRole('operate');
  if (!crawler) return <NoCrawler title="Try a URL" />;
  const url = query.get('url') ?? '';
  const view = mayFetch ? (query.get('view') ?? '') : '';
  return (
    <>
      <PageHead title="Try a URL">
        Applies the policy of {crawler} to a URL as the crawl does, and shows every step that leads to the verdict.
        Nothing is queued.
      </PageHead>
      <Panel title="Which URL?">
        <UrlForm view={view} mayFetch={mayFetch} />
      </Panel>
      {url === '' ? (
        <EmptyState>
          Enter any URL, stored or not: the verdict, the rule behind it and the place of that rule in the configuration
          appear here.
        </EmptyState>
      ) : view === 'selectors' ? (
        <Selectors key={`${crawler} ${url}`} crawler={crawler} url={url} />
      ) : view === 'links' || view === 'rendered' ? (
        <LinksOfPage crawler={crawler} url={url} render={view === 'rendered'} />
      ) : (
        <Explanation crawler={crawler} url={url} from={query.get('from') ?? undefined} />
      )}
    </>
  );
}

const VIEWS = [
  { view: '', text: 'Explain', fetches: false },
  { view: 'links', text: 'Fetch it and show its content and links', fetches: true },
  { view: 'selectors', text: 'Try selectors on it', fetches: true },
  { view: 'rendered', text: 'Run its scripts and compare', fetches: true },
] as const;

interface UrlFormProps {
  readonly view: string;
  readonly mayFetch: boolean;
}

function UrlForm({ view: currentView, mayFetch }: UrlFormProps): JSX.Element {
  const formRef = useAddressForm();
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const formData = new FormData(event.currentTarget as HTMLFormElement);
    const view = (event.submitter as HTMLButtonElement | null)?.value || undefined;
    const readField = (name: string): string | undefined => String(formData.get(name) ?? '').trim() || undefined;
    changeQuery({ url: readField('url'), from: readField('from'), view });
  };
  return (
    <form ref={formRef} class="filters" onSubmit={submit}>
      <div class="field grow">
        <label for="try-url">URL</label>
        <input
          id="try-url"
          name="url"
          class="mono"
          required
          spellcheck={false}
          placeholder="https://docs.example.com/guide"
        />
      </div>
      <div class="field grow">
        <label for="try-from">Found on (optional)</label>
        <input id="try-from" name="from" class="mono" spellcheck={false} />
      </div>
      <div class="actions">
        {VIEWS.filter(({ fetches }) => mayFetch || !fetches).map(({ view, text }) => (
          <button key={view} type="submit" class={currentView === view ? 'button primary' : 'button'} value={view}>
            {text}
          </button>
        ))}
      </div>
    </form>
  );
}

const JUDGED_AS: Readonly<Record<JudgedDto['discoveredVia'], string>> = {
  root: 'Judged as a root',
  link: 'Judged as if a page linked to it',
  redirect: 'Judged as the target of a redirect',
  sitemap: 'Judged as an entry of a sitemap',
  stored: 'Judged as stored',
};

function Explanation({ crawler, url, from }: { crawler: string; url: string; from?: string }): JSX.Element {
  const judgment = useResource(`explain ${crawler} ${url} ${from}`, (signal) =>
    call('GET /api/v1/crawlers/{crawler}/explain', { path: { crawler }, query: { url, from }, signal }),
  );
  const mayOperate = useHasRole('operate');
  return (
    <ResourceView resource={judgment}>
      {(explanation) => (
        <Panel title="Verdict">
          <div class="stack">
            <Headline headline={explanation.headline} crawler={crawler}>
              {mayOperate && explanation.verdict.accepted && (
                <QueueButton crawler={crawler} urls={[explanation.url]} onDone={judgment.reload} />
              )}
              {!explanation.verdict.accepted && explanation.verdict.place && (
                <a class="button" href={getPlaceLink(explanation.verdict.place, crawler)}>
                  Show it in the configuration
                </a>
              )}
            </Headline>
            <OtherCrawlers excludedName={crawler} url={explanation.url} />
            <p>
              <span class="url">{explanation.url}</span>
              <br />
              <span class="muted">
                {explanation.from ? `Judged as a link on ${explanation.from}` : JUDGED_AS[explanation.discoveredVia]},{' '}
                {formatPlural(explanation.hops, 'hop')} from the root
                {explanation.address && `, host at ${explanation.address}`}
              </span>
            </p>
            {explanation.state ? (
              <p>
                Stored: <StateBadge name={explanation.state.status} />{' '}
                <a href={href('/url', { crawler, url: explanation.url })}>See its URL history.</a>
              </p>
            ) : (
              <p class="muted">Not stored: no page visited so far links to it, or the link was refused.</p>
            )}
            <Verdict
              explanation={explanation}
              robots={explanation.robots}
              queue={explanation.queue}
              crawler={crawler}
            />
          </div>
        </Panel>
      )}
    </ResourceView>
  );
}
