import { concernsHost, isRunOfServerErrors } from '../../domain/politeness/politeness.js';
import type { PageResult } from '../ports/page-task.js';
import type { Host, Hosts } from './hosts/hosts.js';

/**
 * What a result says of its host: whether it rests now, or answers. A login wall in front of pages that are known by their links
 * alone is no outage: many sites have pages for members.
 */
export function noteHost(
  hosts: Pick<Hosts, 'backOff' | 'answered' | 'recovered'>,
  host: Host,
  { outcome, status }: PageResult,
  {
    indexed = false,
    tried = false,
  }: { indexed?: boolean /** A person wanted it though the host rested. */; tried?: boolean } = {},
): void {
  const isServerError = outcome.kind === 'error' && outcome.code === 'http-5xx';
  if (isServerError) host.serverErrors++;
  else if (status !== undefined) host.serverErrors = 0;
  const isRun = isServerError && isRunOfServerErrors(host.serverErrors);
  const rests =
    outcome.kind === 'error' && (concernsHost(outcome.code) || isRun || (outcome.code === 'login-wall' && indexed));
  if (rests) hosts.backOff(host, outcome.retryAfter);
  else if (status === undefined || isServerError) return;
  else if (tried) hosts.recovered(host);
  else hosts.answered(host);
}
