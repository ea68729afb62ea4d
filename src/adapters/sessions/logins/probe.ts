/** Requests one page with a login and interprets the response. */
import type { FetchOutcome } from '../../../domain/fetch/outcome.js';
import type { RequestSession } from '../../../engine/ports/fetcher.js';
import type { LoginResult, LoginTools } from '../../../engine/ports/login-method.js';
import { listSchemes } from './challenges.js';

const SMALL_PAGE = 64 * 1024;

export interface Probe {
  readonly url: string;
  readonly session: RequestSession;
  /** Expected authentication schemes; absent if any will do. */
  readonly schemes?: readonly string[];
}

export async function probePage(tools: LoginTools, { url, session, schemes }: Probe): Promise<LoginResult> {
  const answer = await fetchAndReport(tools, 'requested the page to check the login', { url, session });
  return toLoginResult(answer, url, schemes);
}

/** Makes and reports one request of a login. */
export async function fetchAndReport(
  tools: LoginTools,
  what: string,
  request: { readonly url: string; readonly session: RequestSession },
): Promise<FetchOutcome> {
  const answer = await tools.fetch({ ...request, maxSize: SMALL_PAGE, truncate: true });
  const { url } = request;
  if (answer.kind === 'failure') tools.report({ what, url, detail: `${answer.code}: ${answer.detail}` });
  else tools.report({ what, url, status: answer.status });
  return answer;
}

export function toLoginResult(answer: FetchOutcome, url: string, schemes?: readonly string[]): LoginResult {
  if (answer.kind === 'failure' && answer.code === 'tls-client-certificate')
    return {
      kind: 'refused',
      detail: `${url} requires a client certificate, or rejects this one: ${answer.detail}`,
    };
  if (answer.kind === 'failure')
    return { kind: 'unreachable', detail: `${url} could not be reached: ${answer.code}: ${answer.detail}` };
  const { status, headers } = answer;
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
  const offered = listSchemes(challenge);
  const meant =
    schemes === undefined || offered === '' || schemes.some((scheme) => offered.split(', ').includes(scheme));
  if (meant) return { kind: 'refused', detail: `${url} responded with 401: the user or its secret is wrong` };
  return {
    kind: 'changed',
    detail: `${url} asks for ${offered}, and this login supports ${schemes.join(', ')}: change its type`,
  };
}
