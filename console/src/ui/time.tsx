import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { formatDue, formatRelativeTime } from './format.js';

/** 24-hour times, as in the log, are shorter and easier to compare in a column. */
const hourCycle = 'h23';
const localFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium', hourCycle });
const shortLocalFormat = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle,
});

const timeOfDayFormat = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium', hourCycle });

export const formatTimeOfDay = (at: string): string => timeOfDayFormat.format(new Date(at));

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
  const title = `${localFormat.format(moment)} local, ${at.replace('T', ' ').replace(/(?:\.\d+)?Z$/, ' UTC')}`;
  const formatMoment = (date: Date): string =>
    due
      ? formatDue(date.getTime(), now)
      : relative
        ? formatRelativeTime(date.getTime(), now)
        : shortLocalFormat.format(date);
  return (
    <time dateTime={at} title={title}>
      {formatMoment(moment)}
    </time>
  );
}

function useNow(intervalMs: number | undefined): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (intervalMs === undefined) return;
    const timer = setInterval(() => setNow(Date.now()), intervalMs);
    return () => clearInterval(timer);
  }, [intervalMs]);
  return now;
}
