import type { RefreshedDto } from '../api/schema.js';
import { formatPlural, formatRelativeTime } from './format.js';

/** Says what a refresh means for hosts that are resting. Empty if there are none. */
export function describeRestingHosts(resting: RefreshedDto['resting']): string {
  const [first] = resting;
  if (!first) return '';
  const subject =
    resting.length === 1
      ? `${first.host} is resting until ${formatRelativeTime(Date.parse(first.until), Date.now())}`
      : `${formatPlural(resting.length, 'host')} are resting`;
  return ` ${subject}: one request is made anyway, and a good response ends the rest period.`;
}
