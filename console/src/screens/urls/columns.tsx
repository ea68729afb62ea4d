/** The columns of the list; this browser remembers which of them are shown. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { UrlStateDto } from '../../api/schema.js';
import { Reason } from '../../ui/reasons.js';
import { StateBadge } from '../../ui/status.js';
import { Time } from '../../ui/time.js';
import { UrlLink } from '../../ui/url-text.js';

export interface ColumnDefinition {
  readonly label: string;
  readonly title?: string;
  readonly isNumber?: boolean;
  readonly cell: (url: UrlStateDto) => ComponentChildren;
}

export const COLUMNS = {
  status: { label: 'Status', cell: ({ status }) => <StateBadge name={status} /> },
  reason: { label: 'Reason', cell: ({ reason, status }) => reason !== status && <Reason code={reason} /> },
  lastStatus: {
    label: 'HTTP',
    title: 'Status of the last response',
    isNumber: true,
    cell: ({ lastStatus }) => lastStatus ?? '–',
  },
  lastVisitAt: { label: 'Last visit', cell: ({ lastVisitAt }) => <Time at={lastVisitAt} /> },
  dueAt: { label: 'Next visit', cell: ({ dueAt }) => <Time at={dueAt} /> },
  source: { label: 'Source', cell: ({ source }) => source ?? '–' },
  hops: { label: 'Hops', title: 'Links from the root', isNumber: true, cell: ({ hops }) => hops },
  foundOn: {
    label: 'Found on',
    cell: ({ crawler, foundOn }) => (foundOn ? <UrlLink crawler={crawler} url={foundOn} /> : '–'),
  },
  firstSeenAt: { label: 'First seen', cell: ({ firstSeenAt }) => <Time at={firstSeenAt} /> },
  visits: { label: 'Visits', isNumber: true, cell: ({ visits }) => visits },
  changes: { label: 'Changes', isNumber: true, cell: ({ changes }) => changes },
  contentType: { label: 'Content type', cell: ({ contentType }) => contentType ?? '–' },
} as const satisfies Record<string, ColumnDefinition>;

export type Column = keyof typeof COLUMNS;

export const findColumn = (column: Column): ColumnDefinition => COLUMNS[column];

const AT_FIRST: readonly Column[] = ['status', 'reason', 'lastStatus', 'lastVisitAt', 'dueAt', 'source', 'hops'];
const KEY = 'crawlway-url-columns';

const isColumn = (name: unknown): name is Column => typeof name === 'string' && Object.hasOwn(COLUMNS, name);

function loadColumns(): readonly Column[] {
  try {
    const names: unknown = JSON.parse(localStorage.getItem(KEY) ?? 'null');
    return Array.isArray(names) ? names.filter(isColumn) : AT_FIRST;
  } catch {
    return AT_FIRST;
  }
}

export function useColumns(): [shown: readonly Column[], choose: (column: Column, shown: boolean) => void] {
  const [shown, setShown] = useState(loadColumns);
  const choose = (column: Column, wanted: boolean): void => {
    const all = Object.keys(COLUMNS) as Column[];
    const next = all.filter((one) => (one === column ? wanted : shown.includes(one)));
    localStorage.setItem(KEY, JSON.stringify(next));
    setShown(next);
  };
  return [shown, choose];
}
