/**
 * States what became of a URL and what to do next. The command line, the API and the console all show this text;
 * everything else that they show explains it.
 */
import type { Headline, UrlFacts } from './facts.js';
import { createStoredHeadline } from './stored.js';
import { createUnknownHeadline } from './unknown.js';
import { describePolicyVerdict } from './words.js';

export type { Fate, Headline } from './facts.js';

export function createHeadline(facts: UrlFacts): Headline {
  const headline = facts.state
    ? appendLinkRefusal(createStoredHeadline(facts, facts.state), facts)
    : createUnknownHeadline(facts);
  return facts.crawler === 'paused' || facts.crawler === 'stopped' ? appendCrawlerState(headline, facts) : headline;
}

/** A crawler that is not running adds nothing to the index, whatever the state of the URL. */
function appendCrawlerState(headline: Headline, { crawler }: UrlFacts): Headline {
  const text = `${headline.text} The crawler is ${crawler}: nothing is fetched until it is started.`;
  return headline.fate === 'on-its-way' ? { ...headline, text, nextStep: 'Start the crawler.' } : { ...headline, text };
}

/** The verdict on another link to a stored URL does not change the URL's fate, so it is only added to the text. */
function appendLinkRefusal(headline: Headline, { link }: UrlFacts): Headline {
  if (!link || link.verdict.accepted) return headline;
  return {
    ...headline,
    text: `${headline.text} A new link on ${link.from} would be refused: ${describePolicyVerdict(link.verdict)}.`,
  };
}
