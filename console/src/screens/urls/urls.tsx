import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { UrlPageDto, UrlStateDto } from '../../api/schema.js';
import { useCrawler } from '../../state/crawlers.js';
import { useResource } from '../../state/resource.js';
import { changeQuery, useRoute } from '../../state/route.js';
import { useHasRole } from '../../state/session.js';
import { EmptyState, ResourceView } from '../../ui/answers.js';
import { formatPercent, formatPlural } from '../../ui/format.js';
import { NoCrawler } from '../../ui/no-crawler.js';
import { PageHead, Panel } from '../../ui/panel.js';
import { COLUMNS, type Column, useColumns } from './columns.js';
import { ExportUrls } from './export-urls.js';
import { type Filters, isFiltered, parseFilters, toQuery, UrlFilters } from './filters.js';
import { parseSorting, type Sorting } from './sorting.js';
import { ClearUrlsDialog, RefreshUrlsDialog, useUrlCount } from './url-actions.js';
import { UrlTable } from './url-table.js';

const PAGE_SIZE = 100;
const MAX_SEARCH_MS = 1_500;

export function Urls(): JSX.Element {
  const crawler = useCrawler()?.name;
  const { query } = useRoute();
  const [dialog, setDialog] = useState<'refresh' | 'clear'>();
  const mayOperate = useHasRole('operate');
  if (!crawler) return <NoCrawler title="URLs" />;
  const filters = parseFilters(query);
  return (
    <>
      <PageHead
        title="URLs"
        actions={
          mayOperate && (
            <>
              <button type="button" class="button" onClick={() => setDialog('refresh')}>
                Refresh…
              </button>
              <button type="button" class="button danger" onClick={() => setDialog('clear')}>
                Remove…
              </button>
            </>
          )
        }
      >
        Every URL that {crawler} knows. Open one to see how it was found, why it is crawled or not, and what happened to
        it.
      </PageHead>
      <Panel title="Filter">
        <search>
          <UrlFilters filtered={isFiltered(filters)} />
        </search>
      </Panel>
      <UrlPages
        crawler={crawler}
        filters={filters}
        sorting={parseSorting(query)}
        cursor={query.get('cursor') ?? undefined}
      />
      {dialog === 'refresh' && (
        <RefreshUrlsDialog crawler={crawler} filters={filters} onClose={() => setDialog(undefined)} />
      )}
      {dialog === 'clear' && (
        <ClearUrlsDialog crawler={crawler} filters={filters} onClose={() => setDialog(undefined)} />
      )}
    </>
  );
}

interface PagesProps {
  readonly crawler: string;
  readonly filters: Filters;
  readonly sorting: Sorting;
  readonly cursor?: string;
}

/** Shows the URLs page by page. Cursors keep this equally fast for a thousand URLs and for a million. */
function UrlPages({ crawler, filters, sorting, cursor }: PagesProps): JSX.Element {
  const key = JSON.stringify([crawler, filters, sorting, cursor]);
  const page = useResource(key, (signal) => searchUrls({ crawler, filters, sorting, cursor }, signal));
  const [columns, setColumnShown] = useColumns();
  return (
    <Panel
      title="Stored URLs"
      aside={
        <>
          <UrlTotal crawler={crawler} filters={filters} />
          <ColumnChoice shownColumns={columns} setColumnShown={setColumnShown} />
          <ExportUrls crawler={crawler} filters={filters} />
          <button type="button" class="button small" onClick={page.reload}>
            Reload
          </button>
        </>
      }
    >
      <ResourceView resource={page}>
        {({ items, next, searched: share }) => (
          <>
            {items.length > 0 || next === null ? (
              <Rows items={items} filters={filters} columns={columns} sorting={sorting} />
            ) : null}
            {items.length < PAGE_SIZE && next !== null && (
              <p class="notice" role="status">
                {items.length === 0 ? 'Nothing found' : `${formatPlural(items.length, 'URL')} found`} in the{' '}
                {formatPercent(share)} of the stored URLs that have been searched so far.
              </p>
            )}
            <nav class="actions end" aria-label="Pages">
              {cursor && (
                <button type="button" class="button" onClick={() => changeQuery({ cursor: undefined })}>
                  First page
                </button>
              )}
              {cursor && (
                <button type="button" class="button" onClick={() => history.back()}>
                  Back
                </button>
              )}
              {next && (
                <button type="button" class="button" onClick={() => changeQuery({ cursor: next })}>
                  {items.length < PAGE_SIZE ? 'Continue searching' : `Next ${PAGE_SIZE}`}
                </button>
              )}
            </nav>
          </>
        )}
      </ResourceView>
    </Panel>
  );
}

/** Searches in several steps if matches are rare, but only for a limited time. */
async function searchUrls({ crawler, filters, sorting, cursor }: PagesProps, signal: AbortSignal): Promise<UrlPageDto> {
  const startedAt = performance.now();
  const query = toQuery(filters);
  const items: UrlStateDto[] = [];
  let step: UrlPageDto = { items, next: cursor ?? null, searched: 0 };
  do {
    step = await call('GET /api/v1/crawlers/{crawler}/urls', {
      path: { crawler },
      query: { ...query, ...sorting, cursor: step.next ?? undefined, limit: PAGE_SIZE - items.length },
      signal,
    });
    items.push(...step.items);
  } while (step.next !== null && items.length < PAGE_SIZE && performance.now() - startedAt < MAX_SEARCH_MS);
  return { ...step, items };
}

/** Shows the total, which is counted separately so that the list does not wait for it. */
function UrlTotal({ crawler, filters }: { crawler: string; filters: Filters }): JSX.Element {
  const key = JSON.stringify(filters);
  const filterQuery = useMemo(() => toQuery(filters), [key]);
  const { value } = useUrlCount(crawler, filterQuery);
  return <span class="muted">{value === undefined ? 'counting…' : formatPlural(value, 'URL')}</span>;
}

interface ColumnsProps {
  readonly shownColumns: readonly Column[];
  readonly setColumnShown: (column: Column, shown: boolean) => void;
}

function ColumnChoice({ shownColumns, setColumnShown }: ColumnsProps): JSX.Element {
  const [open, setOpen] = useState(false);
  return (
    <details class="popover" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary class="button small">Columns</summary>
      {open && (
        <fieldset class="stack">
          <legend class="visually-hidden">Visible columns</legend>
          {(Object.keys(COLUMNS) as Column[]).map((column) => (
            <label key={column} class="check">
              <input
                type="checkbox"
                checked={shownColumns.includes(column)}
                onChange={(event) => setColumnShown(column, event.currentTarget.checked)}
              />
              {COLUMNS[column].label}
            </label>
          ))}
        </fieldset>
      )}
    </details>
  );
}

interface RowsProps {
  readonly items: readonly UrlStateDto[];
  readonly filters: Filters;
  readonly columns: readonly Column[];
  readonly sorting: Sorting;
}

function Rows({ items, filters, columns, sorting }: RowsProps): JSX.Element {
  if (items.length > 0) return <UrlTable urls={items} columns={columns} sorting={sorting} />;
  if (isFiltered(filters)) {
    return (
      <EmptyState>
        No stored URLs match the filter. Remove part of it, or <a href="/try">find out why a URL is not here</a>.
      </EmptyState>
    );
  }
  return (
    <EmptyState>
      Nothing is stored yet. Start the crawler on the <a href="/">overview</a>, or <a href="/try">try a URL</a>.
    </EmptyState>
  );
}
