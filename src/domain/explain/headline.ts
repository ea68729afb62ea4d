/**
 * States what became of a URL and what to do next. The command line, the API and the console all show this text;
 * everything else that they show explains it.
 */
import type { Reason } from '../policy/reasons.js';
import type { Headline, UrlFacts } from './facts.js';
import { createStoredHeadline } from './stored.js';
import { describePolicyVerdict, describeRobotsRule, findCodeEntry, formatTime, stripFullStop } from './words.js';

export type { Fate, Headline } from './facts.js';

export function createHeadline(facts: UrlFacts): Headline {
  const headline = facts.state
    ? appendLinkRefusal(appendMove(createStoredHeadline(facts, facts.state), facts), facts)
    : createUnknownHeadline(facts);
  if (facts.crawler === 'paused' || facts.crawler === 'stopped') return appendCrawlerState(headline, facts);
  return facts.usedUp ? appendUsedUpQuota(headline, facts.usedUp) : headline;
}

/** A crawler that is not running adds nothing to the index, whatever the state of the URL. */
function appendCrawlerState(headline: Headline, { crawler }: UrlFacts): Headline {
  const text = `${headline.text} The crawler is ${crawler}: nothing is fetched until it is started.`;
  return headline.fate === 'on-its-way' ? { ...headline, text, nextStep: 'Start the crawler.' } : { ...headline, text };
}

/** What a page shares with many others is not its own fault. */
function appendMove(headline: Headline, { move }: UrlFacts): Headline {
  if (!move) return headline;
  const { from, to, done, total } = move;
  const text = `${headline.text} The pages of its site move from ${from}* to ${to}*: ${done} of ${total} are found there.`;
  return { ...headline, text };
}

function appendUsedUpQuota(headline: Headline, { quota, until }: NonNullable<UrlFacts['usedUp']>): Headline {
  const text = `${headline.text} The bytes of quota ${quota} are used up for today: nothing is fetched before ${formatTime(until)}.`;
  const nextStep = 'Nothing to do; or raise `maxBytesPerDay` of the Quota.';
  return headline.fate === 'on-its-way' ? { ...headline, text, nextStep } : { ...headline, text };
}

/** The verdict on another link to a stored URL does not change the URL's fate, so it is only added to the text. */
function appendLinkRefusal(headline: Headline, { link }: UrlFacts): Headline {
  if (!link || link.verdict.accepted) return headline;
  return {
    ...headline,
    text: `${headline.text} A new link on ${link.from} would be refused: ${describePolicyVerdict(link.verdict)}.`,
  };
}

/** The headline of a URL that is not stored. */
function createUnknownHeadline(facts: UrlFacts): Headline {
  const { verdict, robots, refused } = facts;
  const deletionOrder = facts.orders.find(({ kind }) => kind === 'delete');
  if (deletionOrder?.state === 'pending' || deletionOrder?.state === 'acknowledged')
    return createRemovedHeadline(facts, deletionOrder.reason);
  if (!verdict.accepted) {
    const cause =
      facts.link === undefined ? 'the configuration rejects it' : `the link on ${facts.link.from} is refused`;
    return createAbsentHeadline(verdict.reason, `Not crawled: ${cause}: ${describePolicyVerdict(verdict)}.`);
  }
  const { likelyVerdict } = facts;
  if (likelyVerdict && !likelyVerdict.accepted)
    return createAbsentHeadline(
      likelyVerdict.reason,
      `Not crawled: it would be accepted as a root, but links to it are refused: ${describePolicyVerdict(likelyVerdict)}.`,
    );
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
