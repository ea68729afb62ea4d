import type { RefreshedDto } from '../api/schema.js';
import { formatPlural, formatRelativeTime } from './format.js';

/** What a refresh means for hosts that are left alone now; empty when there is none. */
export function restingHostsText(resting: RefreshedDto['resting']): string {
  const [first] = resting;
  if (!first) return '';
  const who =
    resting.length === 1
      ? `${first.host} rests, and is asked again ${formatRelativeTime(Date.parse(first.until), Date.now())}`
      : `${formatPlural(resting.length, 'host')} rest`;
  return ` ${who}: one request is made now all the same, and a good answer ends the rest.`;
}
