/** Headline for a URL that is not stored. */
import type { Reason } from '../policy/reasons.js';
import type { Headline, UrlFacts } from './facts.js';
import { describePolicyVerdict, describeRobotsRule, findCodeEntry, stripFullStop } from './words.js';

export function createUnknownHeadline(facts: UrlFacts): Headline {
  const { verdict, robots, refused } = facts;
  const deletionOrder = facts.orders.find(({ kind }) => kind === 'delete');
  if (deletionOrder?.state === 'pending' || deletionOrder?.state === 'acknowledged')
    return createRemovedHeadline(facts, deletionOrder.reason);
  if (!verdict.accepted) {
    const cause =
      facts.link === undefined ? 'the configuration rejects it' : `the link on ${facts.link.from} is refused`;
    return createAbsentHeadline(verdict.reason, `Not crawled: ${cause}: ${describePolicyVerdict(verdict)}.`);
  }
  if (robots?.state === 'disallowed')
    return createAbsentHeadline('robots-disallowed', `Not crawled: ${describeRobotsRule(robots)}.`);
  if (refused) {
    const { meaning } = findCodeEntry(refused.reason);
    return createAbsentHeadline(
      refused.reason,
      `Not crawled: the link to it on ${refused.from} was refused (${refused.reason}): ${meaning}`,
    );
  }
  return createNeverLinkedHeadline(facts);
}

function createRemovedHeadline({ verdict }: UrlFacts, reason: Reason): Headline {
  const { meaning } = findCodeEntry(reason);
  const text = `Not in the index: its document was deleted and the URL is no longer known. Reason: ${meaning}`;
  const rediscoveryAdvice =
    'It will be rediscovered when a page that links to it is visited; submit it to crawl it now.';
  const nextStep = verdict.accepted
    ? rediscoveryAdvice
    : `${stripFullStop(findCodeEntry(verdict.reason).remedy)}. ${rediscoveryAdvice}`;
  return { fate: 'not-in-index', reason, text, nextStep };
}

function createNeverLinkedHeadline({ verdict, link, robots }: UrlFacts): Headline {
  const linksOnlyNote = verdict.effects.index ? '' : ' It would be read only for its links, not indexed.';
  if (robots === undefined) {
    return {
      fate: 'on-its-way',
      reason: 'accepted',
      text: `The configuration accepts it.${linksOnlyNote} No server was consulted, so it is not known whether the URL has been found, what robots.txt says or how its visits ended.`,
      nextStep: 'Start the server, or name it with --server, to find out what happened to the URL.',
    };
  }
  const explanation = link
    ? `a link on ${link.from} would be accepted, but none has been found there so far`
    : 'the configuration accepts it, but no page read so far links to it';
  return {
    fate: 'not-in-index',
    reason: 'never-linked',
    text: `Not known: ${explanation}.${linksOnlyNote}`,
    nextStep: 'Link to it from a page that is crawled, list it in a sitemap, or submit it.',
  };
}

const createAbsentHeadline = (reason: Reason, text: string): Headline => ({
  fate: 'not-in-index',
  reason,
  text,
  nextStep: findCodeEntry(reason).remedy,
});
