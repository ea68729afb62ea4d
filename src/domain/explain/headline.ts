/**
 * What became of a URL, in one complete sentence, and what to do next. The command line, the API and the console all
 * show this sentence; everything else that they show explains it.
 */
import type { Headline, UrlFacts } from './facts.js';
import { storedHeadline } from './stored.js';
import { unknownHeadline } from './unknown.js';
import { policyClause } from './words.js';

export type { Fate, Headline } from './facts.js';

export function createHeadline(facts: UrlFacts): Headline {
  const headline = facts.state ? withLinkState(storedHeadline(facts, facts.state), facts) : unknownHeadline(facts);
  return facts.crawler === 'paused' || facts.crawler === 'stopped' ? withCrawlerState(headline, facts) : headline;
}

/** A crawler that is not running adds nothing to the index, whatever the state of the URL. */
function withCrawlerState(headline: Headline, { crawler }: UrlFacts): Headline {
  const text = `${headline.text} The crawler is ${crawler}: nothing is fetched until a person starts it.`;
  return headline.fate === 'on-its-way' ? { ...headline, text, nextStep: 'Start the crawler.' } : { ...headline, text };
}

/** Another link does not change a stored URL, whatever becomes of the link. */
function withLinkState(headline: Headline, { link }: UrlFacts): Headline {
  if (!link || link.verdict.accepted) return headline;
  return {
    ...headline,
    text: `${headline.text} A new link on ${link.from} would be refused: ${policyClause(link.verdict)}.`,
  };
}
