/** Judges a URL before its page is requested. This happens once: the verdict's effects travel with the page's task. */
import { createExclusion, createVerdictExclusion } from '../../domain/crawl/exclusion.js';
import type { UrlState } from '../../domain/crawl/url-state.js';
import type { Candidate, Verdict } from '../../domain/policy/verdict.js';
import { toCrawlUrl } from '../../domain/url/crawl-url.js';
import type { PageProcessor } from '../ports/page-processor.js';
import type { PageOutcome } from '../ports/page-task.js';
import { type CrawlContext, findOwner, findRoot, toStoredCandidate } from './crawl-context.js';
import { createFailure } from './page-outcome.js';

export interface Judgement {
  readonly verdict: Verdict;
  /** Why the page is not requested; absent if it is. */
  readonly exclusion?: PageOutcome;
}

/** Queries DNS only if the verdict depends on the host's address; otherwise the judgement is there at once. */
export function judgeUrl(
  context: CrawlContext,
  state: Pick<UrlState, 'url' | 'discoveredVia' | 'hops' | 'root' | 'foundOn'>,
  dns: Pick<PageProcessor, 'resolve'>,
): Judgement | Promise<Judgement> {
  const url = toCrawlUrl(state.url);
  const owner = state.discoveredVia === 'root' ? undefined : findOwner(context, url);
  const candidate = toStoredCandidate(state, url, findRoot(context, state.root, url));
  const verdict = context.policy.judge(candidate);
  if (owner !== undefined && verdict.accepted) return { verdict, exclusion: createOwnerExclusion(owner) };
  if (!verdict.needsAddress)
    return verdict.accepted ? { verdict } : { verdict, exclusion: createVerdictExclusion(verdict, true) };
  return judgeAddress(context, candidate, dns);
}

async function judgeAddress(
  context: CrawlContext,
  candidate: Candidate,
  dns: Pick<PageProcessor, 'resolve'>,
): Promise<Judgement> {
  const { url } = candidate;
  const address = (await dns.resolve(url.host)) ?? null;
  const finalVerdict = context.policy.judge({ ...candidate, address });
  if (finalVerdict.accepted) return { verdict: finalVerdict };
  // A host unknown to DNS is not excluded, but must not receive requests either: a proxy might know it.
  const exclusion =
    address === null
      ? createFailure('dns-no-answer', describeMissingAddress(finalVerdict))
      : createVerdictExclusion(finalVerdict, false);
  return { verdict: finalVerdict, exclusion };
}

/** The document stays: it is the other crawler's. */
const createOwnerExclusion = (owner: string): PageOutcome => ({
  ...createExclusion('owned-by-another-crawler', `crawler ${owner} has a root for it and pushes to the same sink`),
  keepDocument: true,
  revisit: false,
});

const describeMissingAddress = ({ detail }: Verdict): string =>
  `an address rule in the crawl space would have to allow the host, but DNS does not know its address: ${detail}`;
