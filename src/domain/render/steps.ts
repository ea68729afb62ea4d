/** What to do with a rendered page before it is read, as written in a rule: `click .more; wait 1; scroll 3`. */
import { type Duration, seconds } from '../time/units.js';

export type RenderStep =
  | { readonly do: 'click'; readonly select: string }
  | { readonly do: 'scroll'; readonly times: number }
  /** Scrolls and clicks buttons for more until nothing is added, at most so many times. */
  | { readonly do: 'more'; readonly times: number }
  | { readonly do: 'wait'; readonly time: Duration };

const MAX_STEPS = 20;
const MAX_SCROLLS = 50;
const DEFAULT_MORE = 10;
const MAX_WAIT_SECONDS = 30;

export const STEPS_FORM =
  'at most 20 steps, separated by semicolons: `click SELECTOR`, `scroll` or `scroll TIMES` (1 to 50), `more` or `more TIMES` (1 to 50), `wait SECONDS` (up to 30)';

/** Returns undefined if the text is not valid. */
export function parseSteps(text: string): readonly RenderStep[] | undefined {
  const parts = text.split(';').map((part) => part.trim());
  if (parts.length > MAX_STEPS) return undefined;
  const steps = parts.filter((part) => part !== '').map(parseStep);
  return steps.every((step) => step !== undefined) && steps.length > 0 ? steps : undefined;
}

function parseStep(text: string): RenderStep | undefined {
  const [, verb, rest] = /^(click|scroll|more|wait)(?:\s(.+))?$/s.exec(text) ?? [];
  const argument = rest?.trim();
  if (verb === 'click') return argument === undefined ? undefined : { do: 'click', select: argument };
  const number = Number(argument ?? (verb === 'more' ? DEFAULT_MORE : 1));
  if (!(number > 0)) return undefined;
  if (verb === 'scroll' || verb === 'more')
    return Number.isInteger(number) && number <= MAX_SCROLLS ? { do: verb, times: number } : undefined;
  if (verb === 'wait') return number <= MAX_WAIT_SECONDS ? { do: 'wait', time: seconds(number) } : undefined;
  return undefined;
}
