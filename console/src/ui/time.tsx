import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { formatDue, formatRelativeTime } from './format.js';

/** 24-hour times, as in the log, are shorter and easier to compare in a column. */
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
  /** Whether it is the time of something that is yet to happen. */
  readonly due?: boolean;
}

/** A time in the local time zone, with UTC on hover. */
export function Time({ at, relative = false, due = false }: TimeProps): JSX.Element {
  const now = useNow(relative || due ? 1000 : undefined);
  if (!at) return <span class="muted">–</span>;
  const moment = new Date(at);
  const title = `${local.format(moment)} local, ${at.replace('T', ' ').replace(/(?:\.\d+)?Z$/, ' UTC')}`;
  const formatMoment = (one: Date): string =>
    due ? formatDue(one.getTime(), now) : relative ? formatRelativeTime(one.getTime(), now) : shortLocal.format(one);
  return (
    <time dateTime={at} title={title}>
      {formatMoment(moment)}
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
