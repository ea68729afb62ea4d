import type { ComponentChildren, JSX } from 'preact';
import type { UrlStateDto } from '../../api/schema.js';
import { changeQuery } from '../../state/route.js';
import { Reason } from '../../ui/reasons.js';
import { Scroll } from '../../ui/scroll.js';
import { State } from '../../ui/status.js';
import { Time } from '../../ui/time.js';
import { UrlLink } from '../../ui/url-text.js';
import { COLUMNS, type Column } from './columns.js';
import { SORTS, type Sort, type Sorting } from './sorting.js';

interface TableProps {
  readonly urls: readonly UrlStateDto[];
  readonly columns: readonly Column[];
  readonly sorting: Sorting;
}

const NUMBERS: ReadonlySet<string> = new Set<Column>(['lastStatus', 'hops', 'visits', 'changes']);
const TITLES: Partial<Record<Column, string>> = {
  hops: 'Links from the root',
  lastStatus: 'Status of the last answer',
};

export const UrlTable = ({ urls, columns, sorting }: TableProps): JSX.Element => (
  <Scroll>
    <table>
      <caption class="visually-hidden">Stored URLs</caption>
      <thead>
        <tr>
          <Head name="url" label="URL" sorting={sorting} />
          {columns.map((column) => (
            <Head key={column} name={column} label={COLUMNS[column]} sorting={sorting} />
          ))}
        </tr>
      </thead>
      <tbody>
        {urls.map((state) => (
          <tr key={state.id}>
            <td class="url-cell">
              <UrlLink crawler={state.crawler} url={state.url} />
              {state.title && <div class="title-line">{state.title}</div>}
            </td>
            {columns.map((column) => (
              <td key={column} class={NUMBERS.has(column) ? 'number' : undefined}>
                {CELLS[column](state)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </Scroll>
);

const CELLS: Readonly<Record<Column, (url: UrlStateDto) => ComponentChildren>> = {
  status: ({ status }) => <State name={status} />,
  reason: ({ reason, status }) => reason !== status && <Reason code={reason} />,
  lastStatus: ({ lastStatus }) => lastStatus ?? '–',
  lastVisitAt: ({ lastVisitAt }) => <Time at={lastVisitAt} />,
  dueAt: ({ dueAt }) => <Time at={dueAt} />,
  source: ({ source }) => source ?? '–',
  hops: ({ hops }) => hops,
  foundOn: ({ crawler, foundOn }) => (foundOn ? <UrlLink crawler={crawler} url={foundOn} /> : '–'),
  firstSeenAt: ({ firstSeenAt }) => <Time at={firstSeenAt} />,
  visits: ({ visits }) => visits,
  changes: ({ changes }) => changes,
  contentType: ({ contentType }) => contentType ?? '–',
};

interface HeadProps {
  readonly name: string;
  readonly label: string;
  readonly sorting: Sorting;
}

/** A click sorts by the column, a second one reverses the order, a third one removes it. */
function Head({ name, label, sorting: { sort, direction } }: HeadProps): JSX.Element {
  const sortable = (SORTS as readonly string[]).includes(name);
  const sorted = sort === name ? direction : undefined;
  const next = sorted === 'descending' ? undefined : sorted === 'ascending' ? 'descending' : 'ascending';
  const order = (): void =>
    changeQuery({
      sort: next && (name as Sort),
      direction: next === 'descending' ? next : undefined,
      cursor: undefined,
    });
  return (
    <th
      scope="col"
      class={NUMBERS.has(name) ? 'number' : undefined}
      title={TITLES[name as Column]}
      aria-sort={sorted ?? (sortable ? 'none' : undefined)}
    >
      {sortable ? (
        <button type="button" class="sort" onClick={order}>
          {label}
          <span aria-hidden="true">{sorted === 'ascending' ? ' ▲' : sorted === 'descending' ? ' ▼' : ''}</span>
        </button>
      ) : (
        label
      )}
    </th>
  );
}
