/** The columns of the URL list. The choice of visible columns is stored in this browser. */
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
  readonly renderCell: (url: UrlStateDto) => ComponentChildren;
}

export const COLUMNS = {
  status: { label: 'Status', renderCell: ({ status }) => <StateBadge name={status} /> },
  reason: { label: 'Reason', renderCell: ({ reason, status }) => reason !== status && <Reason code={reason} /> },
  lastStatus: {
    label: 'HTTP',
    title: 'Status of the last response',
    isNumber: true,
    renderCell: ({ lastStatus }) => lastStatus ?? '–',
  },
  lastVisitAt: { label: 'Last visit', renderCell: ({ lastVisitAt }) => <Time at={lastVisitAt} /> },
  dueAt: { label: 'Next visit', renderCell: ({ dueAt }) => <Time at={dueAt} /> },
  source: { label: 'Source', renderCell: ({ source }) => source ?? '–' },
  hops: { label: 'Hops', title: 'Links from the root', isNumber: true, renderCell: ({ hops }) => hops },
  foundOn: {
    label: 'Found on',
    renderCell: ({ crawler, foundOn }) => (foundOn ? <UrlLink crawler={crawler} url={foundOn} /> : '–'),
  },
  firstSeenAt: { label: 'First seen', renderCell: ({ firstSeenAt }) => <Time at={firstSeenAt} /> },
  visits: { label: 'Visits', isNumber: true, renderCell: ({ visits }) => visits },
  changes: { label: 'Changes', isNumber: true, renderCell: ({ changes }) => changes },
  contentType: { label: 'Content type', renderCell: ({ contentType }) => contentType ?? '–' },
} as const satisfies Record<string, ColumnDefinition>;

export type Column = keyof typeof COLUMNS;

export const getColumn = (column: Column): ColumnDefinition => COLUMNS[column];

const DEFAULT_COLUMNS: readonly Column[] = ['status', 'reason', 'lastStatus', 'lastVisitAt', 'dueAt', 'source', 'hops'];
const STORAGE_KEY = 'crawlway-url-columns';

const isColumn = (name: unknown): name is Column => typeof name === 'string' && Object.hasOwn(COLUMNS, name);

function loadColumns(): readonly Column[] {
  try {
    const names: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? 'null');
    return Array.isArray(names) ? names.filter(isColumn) : DEFAULT_COLUMNS;
  } catch {
    return DEFAULT_COLUMNS;
  }
}

export function useColumns(): [shown: readonly Column[], choose: (column: Column, shown: boolean) => void] {
  const [shownColumns, setShownColumns] = useState(loadColumns);
  const setColumnShown = (column: Column, isShown: boolean): void => {
    const allColumns = Object.keys(COLUMNS) as Column[];
    const next = allColumns.filter((candidate) => (candidate === column ? isShown : shownColumns.includes(candidate)));
    localStorage.setItem(STORAGE_KEY, JSON.stringify(next));
    setShownColumns(next);
  };
  return [shownColumns, setColumnShown];
}
