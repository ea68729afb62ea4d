/** Requests one page with a login and interprets the response. */
import type { FetchOutcome } from '../../../domain/fetch/outcome.js';
import type { RequestSession } from '../../../engine/ports/fetcher.js';
import type { LoginResult, LoginTools } from '../../../engine/ports/login-method.js';
import { listSchemes } from './challenges.js';

const MAX_BODY_SIZE = 64 * 1024;

export interface Probe {
  readonly url: string;
  readonly session: RequestSession;
  /** Expected authentication schemes; absent if any will do. */
  readonly schemes?: readonly string[];
}

/** Returns status 0 if there was no response. */
export async function probePage(
  tools: LoginTools,
  { url, session, schemes }: Probe,
): Promise<{ readonly result: LoginResult; readonly status: number }> {
  const outcome = await fetchAndReport(tools, 'requested the page to check the login', { url, session });
  const status = outcome.kind === 'response' ? outcome.status : 0;
  return { result: toLoginResult(outcome, url, schemes), status };
}

/** Makes and reports one request of a login. */
export async function fetchAndReport(
  tools: LoginTools,
  what: string,
  request: { readonly url: string; readonly session: RequestSession },
): Promise<FetchOutcome> {
  const outcome = await tools.fetch({ ...request, maxSize: MAX_BODY_SIZE, truncate: true });
  const { url } = request;
  if (outcome.kind === 'failure') tools.report({ what, url, detail: `${outcome.code}: ${outcome.detail}` });
  else tools.report({ what, url, status: outcome.status });
  return outcome;
}

export function toLoginResult(outcome: FetchOutcome, url: string, schemes?: readonly string[]): LoginResult {
  if (outcome.kind === 'failure' && outcome.code === 'tls-client-certificate')
    return {
      kind: 'refused',
      detail: `${url} requires a client certificate or rejects the one presented: ${outcome.detail}`,
    };
  if (outcome.kind === 'failure')
    return { kind: 'unreachable', detail: `${url} could not be reached: ${outcome.code}: ${outcome.detail}` };
  const { status, headers } = outcome;
  if (status === 401) return toRefusedResult(url, headers['www-authenticate'], schemes);
  if (status === 407 || status === 408 || status === 429 || status >= 500)
    return { kind: 'unreachable', detail: `${url} responded with ${status}` };
  return { kind: 'in' };
}

function toRefusedResult(
  url: string,
  challenge: string | undefined,
  schemes: readonly string[] | undefined,
): LoginResult {
  const offeredSchemes = listSchemes(challenge);
  const isExpectedScheme =
    schemes === undefined ||
    offeredSchemes === '' ||
    schemes.some((scheme) => offeredSchemes.split(', ').includes(scheme));
  if (isExpectedScheme)
    return { kind: 'refused', detail: `${url} responded with 401: the user or its secret is wrong` };
  return {
    kind: 'changed',
    detail: `${url} offers ${offeredSchemes}, but this login supports only ${schemes.join(', ')}: change the login's type`,
  };
}
