import type { ComponentChildren, JSX } from 'preact';
import { ScrollArea } from './scroll.js';

/** The head of a column. `hidden` labels are for screen readers only. */
export type ColumnHeader =
  | string
  | { readonly label: ComponentChildren; readonly isNumber?: true; readonly hidden?: true; readonly title?: string };

interface TableProps {
  /** Name for screen readers. */
  readonly name: ComponentChildren;
  readonly headers: readonly ColumnHeader[];
  /** The rows. */
  readonly children: ComponentChildren;
}

/** A table of rows below column heads. */
export const Table = ({ name, headers, children }: TableProps): JSX.Element => (
  <ScrollArea>
    <table>
      <caption class="visually-hidden">{name}</caption>
      <thead>
        <tr>
          {headers.map((header, i) => (
            <HeaderCell key={i} header={header} />
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </ScrollArea>
);

function HeaderCell({ header }: { header: ColumnHeader }): JSX.Element {
  if (typeof header === 'string') return <th scope="col">{header}</th>;
  const { label, isNumber, hidden, title } = header;
  return (
    <th scope="col" class={isNumber && 'number'} title={title}>
      {hidden ? <span class="visually-hidden">{label}</span> : label}
    </th>
  );
}
