import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { CrawlerDto, OldestDto, SourceDto, WeightsDto } from '../../api/schema.js';
import { useCrawler, useCrawlers } from '../../state/crawlers.js';
import { useResource } from '../../state/resource.js';
import { href } from '../../state/route.js';
import { useHasRole } from '../../state/session.js';
import { Bar } from '../../ui/bar.js';
import { formatCount, formatPercent } from '../../ui/format.js';
import { NoCrawler } from '../../ui/no-crawler.js';
import { runWithNotice } from '../../ui/notices.js';
import { PageHead, Panel } from '../../ui/panel.js';
import { ScrollArea } from '../../ui/scroll.js';
import { Time } from '../../ui/time.js';

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  user: 'roots and submitted URLs',
  redir: 'targets of redirects',
  index: 'to be indexed, links not followed',
  index_follow: 'to be indexed, links followed',
  follow: 'links followed, not indexed',
  refresh: 'known documents that are due again',
};

const POLL_INTERVAL_MS = 10_000;

type Draft = Readonly<Record<string, string>>;

export function Sources(): JSX.Element {
  const crawler = useCrawler();
  if (!crawler) return <NoCrawler title="Sources" />;
  return (
    <>
      <PageHead title="Sources">
        Every queued URL is waiting in one of six sources. The weights determine how often each source is picked. Only
        sources with a URL whose host is ready take part.
      </PageHead>
      <CrawlerSources key={crawler.name} crawler={crawler} />
    </>
  );
}

function CrawlerSources({ crawler }: { crawler: CrawlerDto }): JSX.Element {
  const { reload } = useCrawlers();
  const [draft, setDraft] = useState<Draft>({});
  const mayChange = useHasRole('admin');
  const changedWeights = Object.entries(draft).filter(([name, weight]) => Number(weight) !== findWeight(crawler, name));
  const isValid = changedWeights.every(
    ([, weight]) => /^\d{1,7}$/.test(weight) && Number(weight) >= 1 && Number(weight) <= 1_000_000,
  );
  const save = (event: Event): Promise<void> => {
    event.preventDefault();
    return runWithNotice(async () => {
      await saveWeights(
        crawler.name,
        Object.fromEntries(changedWeights.map(([name, weight]) => [name, Number(weight)])),
      );
      setDraft({});
      reload();
      return 'The weights have been saved and are in force.';
    });
  };
  return (
    <Panel title={`Sources of ${crawler.name}`}>
      <form onSubmit={save}>
        <Table crawler={crawler} draft={draft} editable={mayChange} onDraft={setDraft} />
        {mayChange && (
          <footer class="actions end">
            {!isValid && <span role="alert">A weight is a whole number from 1 to 1,000,000.</span>}
            {changedWeights.length > 0 && (
              <button type="button" class="button" onClick={() => setDraft({})}>
                Discard
              </button>
            )}
            <button type="submit" class="button primary" disabled={changedWeights.length === 0 || !isValid}>
              Save weights
            </button>
          </footer>
        )}
      </form>
    </Panel>
  );
}

const findWeight = ({ sources }: CrawlerDto, name: string): number | undefined =>
  sources.find((source) => source.name === name)?.weight;

async function saveWeights(crawler: string, weights: WeightsDto): Promise<void> {
  const { etag } = await call('GET /api/v1/config/state');
  await call('PUT /api/v1/config/crawlers/{crawler}/weights', { path: { crawler }, body: weights, ifMatch: etag });
}

interface TableProps {
  readonly crawler: CrawlerDto;
  readonly draft: Draft;
  readonly editable: boolean;
  readonly onDraft: (draft: Draft) => void;
}

function Table({ crawler, draft, editable, onDraft }: TableProps): JSX.Element {
  const { sources, name: crawlerName } = crawler;
  const { value: oldestUrls } = useResource(
    `oldest ${crawlerName}`,
    async (signal) =>
      (await call('GET /api/v1/crawlers/{crawler}/oldest', { path: { crawler: crawlerName }, signal })).items,
    POLL_INTERVAL_MS,
  );
  const totalWeight = sources.reduce((sum, { weight }) => sum + weight, 0);
  const totalPicks = sources.reduce((sum, source) => sum + source.picks, 0);
  return (
    <ScrollArea>
      <table>
        <caption class="visually-hidden">The six sources</caption>
        <thead>
          <tr>
            <th scope="col">Source</th>
            <th scope="col" class="number">
              Queued
            </th>
            <th scope="col" title="The URL that has been due longest">
              Oldest
            </th>
            <th scope="col" class="number">
              Weight
            </th>
            <th scope="col">Target share</th>
            <th scope="col" class="number" title="Since the server started">
              Picks
            </th>
            <th scope="col">Actual share</th>
          </tr>
        </thead>
        <tbody>
          {sources.map((source) => (
            <tr key={source.name}>
              <td>
                <a href={href('/urls', { crawler: crawler.name, source: source.name })}>{source.name}</a>
                <div class="title-line">{DESCRIPTIONS[source.name]}</div>
              </td>
              <td class="number">{formatCount(source.depth)}</td>
              <td class="nowrap">
                <OldestUrl
                  oldest={oldestUrls?.find(({ source: name }) => name === source.name)}
                  crawler={crawlerName}
                />
              </td>
              <td class="number">
                <Weight source={source} draft={draft} editable={editable} onDraft={onDraft} />
              </td>
              <td>
                <WeightShare amount={source.weight} total={totalWeight} />
              </td>
              <td class="number">{formatCount(source.picks)}</td>
              <td>
                <WeightShare amount={source.picks} total={totalPicks} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="muted">
        The actual share differs from the target share if a source has nothing that may be fetched: its picks go to the
        other sources.
      </p>
    </ScrollArea>
  );
}

/** Shows when the URL was or is due, and links to its URL history. */
const OldestUrl = ({ oldest, crawler }: { oldest?: OldestDto; crawler: string }): JSX.Element =>
  oldest ? (
    <a href={href('/url', { crawler, url: oldest.url })} title={oldest.url}>
      <Time at={oldest.dueAt} relative />
    </a>
  ) : (
    <span>–</span>
  );

interface WeightProps extends Omit<TableProps, 'crawler'> {
  readonly source: SourceDto;
}

function Weight({ source: { name, weight }, draft, editable, onDraft }: WeightProps): JSX.Element {
  if (!editable) return <span>{formatCount(weight)}</span>;
  return (
    <input
      type="number"
      min={1}
      max={1_000_000}
      step={1}
      aria-label={`Weight of ${name}`}
      value={draft[name] ?? String(weight)}
      onInput={(event) => onDraft({ ...draft, [name]: event.currentTarget.value })}
    />
  );
}

const WeightShare = ({ amount, total }: { amount: number; total: number }): JSX.Element => (
  <span class="share">
    <Bar share={total > 0 ? amount / total : 0} />
    <span class="number">{total > 0 ? formatPercent(amount / total) : '–'}</span>
  </span>
);
