/** The time range of charts. It is kept in the address, so that a view can be sent to someone. */
import type { JSX } from 'preact';
import { call } from '../api/client.js';
import type { HistoryPointDto } from '../api/schema.js';
import { type Resource, useResource } from '../state/resource.js';
import { changeQuery, useRoute } from '../state/route.js';

const RANGES = { hour: 'Last hour', day: 'Last day', week: 'Last week', quarter: 'Last 13 weeks' } as const;
export type Range = keyof typeof RANGES;

const DAY = 86_400;
/** Length of each range in seconds. */
export const SPANS: Readonly<Record<Range, number>> = { hour: 3600, day: DAY, week: 7 * DAY, quarter: 91 * DAY };
const POLL_INTERVAL_MS = 15_000;

export const formatRange = (range: Range): string => RANGES[range].toLowerCase();

export function useRange(): Range {
  const requested = useRoute().query.get('range') ?? '';
  return Object.hasOwn(RANGES, requested) ? (requested as Range) : 'hour';
}

export const useHistory = (crawler: string, range: Range): Resource<readonly HistoryPointDto[]> =>
  useResource(
    `history ${crawler} ${range}`,
    async (signal) =>
      (await call('GET /api/v1/crawlers/{crawler}/history', { path: { crawler }, query: { range }, signal })).items,
    POLL_INTERVAL_MS,
  );

export const RangeChoice = ({ selectedRange }: { selectedRange: Range }): JSX.Element => (
  <select
    aria-label="Time shown"
    value={selectedRange}
    onChange={(event) => changeQuery({ range: event.currentTarget.value }, { replace: true })}
  >
    {Object.entries(RANGES).map(([range, label]) => (
      <option key={range} value={range}>
        {label}
      </option>
    ))}
  </select>
);
