/** Whether a full day has been recorded: before that, the last hour cannot be compared with the average hour. */
import { createContext } from 'preact';
import { call } from '../../api/client.js';
import { useResource } from '../../state/resource.js';

const DAY_MS = 86_400_000;

export const FullDayContext = createContext(false);

export function useHasFullDay(crawler: string | undefined): boolean {
  const { value: points = [] } = useResource(
    crawler && `week ${crawler}`,
    async (signal) =>
      (
        await call('GET /api/v1/crawlers/{crawler}/history', {
          path: { crawler: crawler! },
          query: { range: 'week' },
          signal,
        })
      ).items,
  );
  return points[0] !== undefined && Date.now() - Date.parse(points[0].at) >= DAY_MS;
}
