/**
 * What became of a URL, in one complete sentence, and what to do next. The command line, the API and the console all
 * show this sentence; everything else that they show explains it.
 */
import type { Headline, UrlFacts } from './facts.js';
import { createStoredHeadline } from './stored.js';
import { createUnknownHeadline } from './unknown.js';
import { describePolicyVerdict } from './words.js';

export type { Fate, Headline } from './facts.js';

export function createHeadline(facts: UrlFacts): Headline {
  const headline = facts.state
    ? addLinkState(createStoredHeadline(facts, facts.state), facts)
    : createUnknownHeadline(facts);
  return facts.crawler === 'paused' || facts.crawler === 'stopped' ? addCrawlerState(headline, facts) : headline;
}

/** A crawler that is not running adds nothing to the index, whatever the state of the URL. */
function addCrawlerState(headline: Headline, { crawler }: UrlFacts): Headline {
  const text = `${headline.text} The crawler is ${crawler}: nothing is fetched until a person starts it.`;
  return headline.fate === 'on-its-way' ? { ...headline, text, nextStep: 'Start the crawler.' } : { ...headline, text };
}

/** Another link does not change a stored URL, whatever becomes of the link. */
function addLinkState(headline: Headline, { link }: UrlFacts): Headline {
  if (!link || link.verdict.accepted) return headline;
  return {
    ...headline,
    text: `${headline.text} A new link on ${link.from} would be refused: ${describePolicyVerdict(link.verdict)}.`,
  };
}
