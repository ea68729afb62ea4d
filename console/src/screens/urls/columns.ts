/** Which columns of the list are shown: remembered by this browser. */
import { useState } from 'preact/hooks';

export const COLUMNS = {
  status: 'Status',
  reason: 'Reason',
  lastStatus: 'HTTP',
  lastVisitAt: 'Last visit',
  dueAt: 'Next visit',
  source: 'Source',
  hops: 'Hops',
  foundOn: 'Found on',
  firstSeenAt: 'First seen',
  visits: 'Visits',
  changes: 'Changes',
  contentType: 'Content type',
} as const;

export type Column = keyof typeof COLUMNS;

const AT_FIRST: readonly Column[] = ['status', 'reason', 'lastStatus', 'lastVisitAt', 'dueAt', 'source', 'hops'];
const KEY = 'crawlway-url-columns';

const isColumn = (name: unknown): name is Column => typeof name === 'string' && Object.hasOwn(COLUMNS, name);

function remembered(): readonly Column[] {
  try {
    const names: unknown = JSON.parse(localStorage.getItem(KEY) ?? 'null');
    return Array.isArray(names) ? names.filter(isColumn) : AT_FIRST;
  } catch {
    return AT_FIRST;
  }
}

export function useColumns(): [shown: readonly Column[], choose: (column: Column, shown: boolean) => void] {
  const [shown, setShown] = useState(remembered);
  const choose = (column: Column, wanted: boolean): void => {
    const all = Object.keys(COLUMNS) as Column[];
    const next = all.filter((one) => (one === column ? wanted : shown.includes(one)));
    localStorage.setItem(KEY, JSON.stringify(next));
    setShown(next);
  };
  return [shown, choose];
}
