import type { JSX } from 'preact';
import type { UrlStateDto } from '../../api/schema.js';
import { changeQuery } from '../../state/route.js';
import { ScrollArea } from '../../ui/scroll.js';
import { UrlLink } from '../../ui/url-text.js';
import { type Column, type ColumnDefinition, findColumn } from './columns.js';
import { SORTS, type Sort, type Sorting } from './sorting.js';

interface TableProps {
  readonly urls: readonly UrlStateDto[];
  readonly columns: readonly Column[];
  readonly sorting: Sorting;
}

export const UrlTable = ({ urls, columns, sorting }: TableProps): JSX.Element => (
  <ScrollArea>
    <table>
      <caption class="visually-hidden">Stored URLs</caption>
      <thead>
        <tr>
          <ColumnHead name="url" column={{ label: 'URL' }} sorting={sorting} />
          {columns.map((column) => (
            <ColumnHead key={column} name={column} column={findColumn(column)} sorting={sorting} />
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
              <td key={column} class={cellClass(findColumn(column))}>
                {findColumn(column).cell(state)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </ScrollArea>
);

const cellClass = ({ isNumber }: Pick<ColumnDefinition, 'isNumber'>): string | undefined =>
  isNumber ? 'number' : undefined;

interface HeadProps {
  readonly name: string;
  readonly column: Pick<ColumnDefinition, 'label' | 'title' | 'isNumber'>;
  readonly sorting: Sorting;
}

/** A column head: a click sorts by the column, a second one reverses the order, a third one removes it. */
function ColumnHead({ name, column, sorting: { sort, direction } }: HeadProps): JSX.Element {
  const sortable = (SORTS as readonly string[]).includes(name);
  const sorted = sort === name ? direction : undefined;
  const next = sorted === 'descending' ? undefined : sorted === 'ascending' ? 'descending' : 'ascending';
  const changeOrder = (): void =>
    changeQuery({
      sort: next && (name as Sort),
      direction: next === 'descending' ? next : undefined,
      cursor: undefined,
    });
  return (
    <th
      scope="col"
      class={cellClass(column)}
      title={column.title}
      aria-sort={sorted ?? (sortable ? 'none' : undefined)}
    >
      {sortable ? (
        <button type="button" class="sort" onClick={changeOrder}>
          {column.label}
          <span aria-hidden="true">{sorted === 'ascending' ? ' ▲' : sorted === 'descending' ? ' ▼' : ' ↕'}</span>
        </button>
      ) : (
        column.label
      )}
    </th>
  );
}
