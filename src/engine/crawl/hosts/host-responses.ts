import { getDefaultReactions } from '../../../domain/fetch/error-codes.js';
import { isServerErrorStreak } from '../../../domain/politeness/politeness.js';
import type { PageResult } from '../../ports/page-task.js';
import type { Host, Hosts } from './hosts.js';

/**
 * Records what a result says about its host: whether the host has to rest or is responding. A login wall in front of
 * pages known only from links is not an outage: many sites have pages for members.
 */
export function noteHostResponse(
  hosts: Pick<Hosts, 'backOff' | 'noteResponse' | 'noteRecovery'>,
  host: Host,
  { outcome, status }: PageResult,
  {
    isIndexed = false,
    isUrgent = false,
  }: { isIndexed?: boolean /** A user requested the visit although the host was resting. */; isUrgent?: boolean } = {},
): void {
  const reaction = outcome.kind === 'error' ? getDefaultReactions(outcome.code).host : undefined;
  const isServerError = reaction === 'after-a-run';
  if (isServerError) host.serverErrors++;
  else if (status !== undefined) host.serverErrors = 0;
  const isStreak = isServerError && isServerErrorStreak(host.serverErrors);
  const mustRest = reaction === 'backs-off' || isStreak || (reaction === 'if-indexed' && isIndexed);
  if (mustRest && outcome.kind === 'error') hosts.backOff(host, outcome.retryAfter, outcome.code);
  else if (status === undefined || isServerError) return;
  else if (isUrgent) hosts.noteRecovery(host);
  else hosts.noteResponse(host);
}
