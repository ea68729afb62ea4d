import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { formatDue, formatRelativeTime } from './format.js';

/** As in the log: in a column, times of 24 hours are shorter and compare at a glance. */
const hourCycle = 'h23';
const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium', hourCycle });
const shortLocal = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle,
});

const timeOfDay = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium', hourCycle });

export const formatTimeOfDay = (at: string): string => timeOfDay.format(new Date(at));

interface TimeProps {
  readonly at?: string;
  readonly relative?: boolean;
  /** Of something that is to happen, and has not happened yet. */
  readonly due?: boolean;
}

/** A moment in the local zone, with UTC on hover. */
export function Time({ at, relative = false, due = false }: TimeProps): JSX.Element {
  const now = useNow(relative || due ? 1000 : undefined);
  if (!at) return <span class="muted">–</span>;
  const moment = new Date(at);
  const title = `${local.format(moment)} local, ${at.replace('T', ' ').replace(/(?:\.\d+)?Z$/, ' UTC')}`;
  const textOf = (one: Date): string =>
    due ? formatDue(one.getTime(), now) : relative ? formatRelativeTime(one.getTime(), now) : shortLocal.format(one);
  return (
    <time dateTime={at} title={title}>
      {textOf(moment)}
    </time>
  );
}

function useNow(every: number | undefined): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (every === undefined) return;
    const timer = setInterval(() => setNow(Date.now()), every);
    return () => clearInterval(timer);
  }, [every]);
  return now;
}
