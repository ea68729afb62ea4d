import type { ComponentChildren, JSX } from 'preact';
import { ScrollArea } from './scroll.js';

/** The head of a column. `hidden` labels are for screen readers only. */
export type Head =
  | string
  | { readonly label: ComponentChildren; readonly number?: true; readonly hidden?: true; readonly title?: string };

interface TableProps {
  /** Name for screen readers. */
  readonly name: ComponentChildren;
  readonly heads: readonly Head[];
  /** The rows. */
  readonly children: ComponentChildren;
}

/** A table of rows below column heads. */
export const Table = ({ name, heads, children }: TableProps): JSX.Element => (
  <ScrollArea>
    <table>
      <caption class="visually-hidden">{name}</caption>
      <thead>
        <tr>
          {heads.map((head, i) => (
            <HeadCell key={i} head={head} />
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </ScrollArea>
);

function HeadCell({ head }: { head: Head }): JSX.Element {
  if (typeof head === 'string') return <th scope="col">{head}</th>;
  const { label, number, hidden, title } = head;
  return (
    <th scope="col" class={number && 'number'} title={title}>
      {hidden ? <span class="visually-hidden">{label}</span> : label}
    </th>
  );
}
