import type { JSX } from 'preact';
import type { UrlStateDto } from '../../api/schema.js';
import { changeQuery } from '../../state/route.js';
import { ScrollArea } from '../../ui/scroll.js';
import { UrlLink } from '../../ui/url-text.js';
import { type Column, type ColumnDefinition, getColumn } from './columns.js';
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
          <ColumnHeader name="url" column={{ label: 'URL' }} sorting={sorting} />
          {columns.map((column) => (
            <ColumnHeader key={column} name={column} column={getColumn(column)} sorting={sorting} />
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
              <td key={column} class={getCellClass(getColumn(column))}>
                {getColumn(column).renderCell(state)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </ScrollArea>
);

const getCellClass = ({ isNumber }: Pick<ColumnDefinition, 'isNumber'>): string | undefined =>
  isNumber ? 'number' : undefined;

interface HeaderProps {
  readonly name: string;
  readonly column: Pick<ColumnDefinition, 'label' | 'title' | 'isNumber'>;
  readonly sorting: Sorting;
}

/** A column head: a click sorts by the column, a second click reverses the order, and a third restores the default. */
function ColumnHeader({ name, column, sorting: { sort, direction } }: HeaderProps): JSX.Element {
  const isSortable = (SORTS as readonly string[]).includes(name);
  const currentDirection = sort === name ? direction : undefined;
  const nextDirection =
    currentDirection === 'descending' ? undefined : currentDirection === 'ascending' ? 'descending' : 'ascending';
  const changeOrder = (): void =>
    changeQuery({
      sort: nextDirection && (name as Sort),
      direction: nextDirection === 'descending' ? nextDirection : undefined,
      cursor: undefined,
    });
  return (
    <th
      scope="col"
      class={getCellClass(column)}
      title={column.title}
      aria-sort={currentDirection ?? (isSortable ? 'none' : undefined)}
    >
      {isSortable ? (
        <button type="button" class="sort" onClick={changeOrder}>
          {column.label}
          <span aria-hidden="true">
            {currentDirection === 'ascending' ? ' ▲' : currentDirection === 'descending' ? ' ▼' : ' ↕'}
          </span>
        </button>
      ) : (
        column.label
      )}
    </th>
  );
}
