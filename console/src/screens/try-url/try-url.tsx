import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import type { JudgedDto } from '../../api/schema.js';
import { useAddressForm } from '../../state/address-form.js';
import { useCrawler } from '../../state/crawlers.js';
import { placeLink } from '../../state/place.js';
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
        Asks the policy of {crawler} the same question as the crawl does, and shows every step to the verdict. Nothing
        is queued.
      </PageHead>
      <Panel title="Which URL?">
        <UrlForm view={view} mayFetch={mayFetch} />
      </Panel>
      {url === '' ? (
        <EmptyState>
          Enter any address, stored or not: the verdict, the rule behind it and the place of that rule in the
          configuration appear here.
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

function UrlForm({ view: shown, mayFetch }: UrlFormProps): JSX.Element {
  const fields = useAddressForm();
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const view = (event.submitter as HTMLButtonElement | null)?.value || undefined;
    const fieldText = (name: string): string | undefined => String(form.get(name) ?? '').trim() || undefined;
    changeQuery({ url: fieldText('url'), from: fieldText('from'), view });
  };
  return (
    <form ref={fields} class="filters" onSubmit={submit}>
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
        <label for="try-from">Found on (may be empty)</label>
        <input id="try-from" name="from" class="mono" spellcheck={false} />
      </div>
      <div class="actions">
        {VIEWS.filter(({ fetches }) => mayFetch || !fetches).map(({ view, text }) => (
          <button key={view} type="submit" class={shown === view ? 'button primary' : 'button'} value={view}>
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
  const judged = useResource(`explain ${crawler} ${url} ${from}`, (signal) =>
    call('GET /api/v1/crawlers/{crawler}/explain', { path: { crawler }, query: { url, from }, signal }),
  );
  const mayOperate = useHasRole('operate');
  return (
    <ResourceView of={judged}>
      {(answer) => (
        <Panel title="Verdict">
          <div class="stack">
            <Headline headline={answer.headline} crawler={crawler}>
              {mayOperate && answer.verdict.accepted && (
                <QueueButton crawler={crawler} urls={[answer.url]} onDone={judged.reload} />
              )}
              {!answer.verdict.accepted && answer.verdict.place && (
                <a class="button" href={placeLink(answer.verdict.place, crawler)}>
                  Show it in the configuration
                </a>
              )}
            </Headline>
            <OtherCrawlers but={crawler} url={answer.url} />
            <p>
              <span class="url">{answer.url}</span>
              <br />
              <span class="muted">
                {answer.from ? `Judged as a link on ${answer.from}` : JUDGED_AS[answer.discoveredVia]},{' '}
                {formatPlural(answer.hops, 'hop')} from the root
                {answer.address && `, host at ${answer.address}`}
              </span>
            </p>
            {answer.state ? (
              <p>
                Stored: <StateBadge name={answer.state.status} />{' '}
                <a href={href('/url', { crawler, url: answer.url })}>Read its URL history.</a>
              </p>
            ) : (
              <p class="muted">Not stored: no page that has been read links to it, or the link was refused.</p>
            )}
            <Verdict explanation={answer} robots={answer.robots} queue={answer.queue} crawler={crawler} />
          </div>
        </Panel>
      )}
    </ResourceView>
  );
}
