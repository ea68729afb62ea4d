import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { formatRelativeTime } from './format.js';

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

/** A moment in the local zone, with UTC on hover. */
export function Time({ at, relative = false }: { at?: string; relative?: boolean }): JSX.Element {
  const now = useNow(relative ? 1000 : undefined);
  if (!at) return <span class="muted">–</span>;
  const moment = new Date(at);
  const title = `${local.format(moment)} local, ${at.replace('T', ' ').replace(/(?:\.\d+)?Z$/, ' UTC')}`;
  return (
    <time dateTime={at} title={title}>
      {relative ? formatRelativeTime(moment.getTime(), now) : shortLocal.format(moment)}
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
