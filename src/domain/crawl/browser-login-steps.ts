/** What a login does in the browser, as written in its configuration: `click? .accept; fill #user with user; click #go`. */
import { type Duration, seconds } from '../time/units.js';

export type BrowserLoginStep =
  | { readonly do: 'goto'; readonly url: string }
  | { readonly do: 'fill'; readonly select: string; readonly field: string }
  | { readonly do: 'click'; readonly select: string; readonly isOptional: boolean }
  | { readonly do: 'wait'; readonly select: string }
  | { readonly do: 'pause'; readonly time: Duration };

const MAX_STEPS = 30;
const MAX_PAUSE_SECONDS = 30;

/** @returns what is wrong with the text, if anything */
export function parseBrowserLoginSteps(text: string): readonly BrowserLoginStep[] | { readonly problem: string } {
  const parts = text
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  if (parts.length > MAX_STEPS) return { problem: `there are more than ${MAX_STEPS} steps` };
  if (parts.length === 0) return { problem: 'there is no step' };
  const steps: BrowserLoginStep[] = [];
  for (const part of parts) {
    const step = parseStep(part);
    if (!step)
      return {
        problem: `"${part.slice(0, 80)}" is no step: write click SELECTOR, click? SELECTOR, fill SELECTOR with NAME, wait SELECTOR, wait SECONDS (up to ${MAX_PAUSE_SECONDS}) or goto URL`,
      };
    steps.push(step);
  }
  return steps;
}

function parseStep(text: string): BrowserLoginStep | undefined {
  const [, verb = '', rest = ''] = /^(click\??|fill|wait|goto)\s+(\S.*)/s.exec(text) ?? [];
  switch (verb) {
    case 'click':
    case 'click?':
      return { do: 'click', select: rest, isOptional: verb === 'click?' };
    case 'goto':
      return /^https?:\/\//i.test(rest) && URL.canParse(rest) ? { do: 'goto', url: rest } : undefined;
    case 'fill': {
      const separator = rest.lastIndexOf(' with ');
      const field = rest.slice(separator + 6).trim();
      return separator < 1 || field === '' ? undefined : { do: 'fill', select: rest.slice(0, separator).trim(), field };
    }
    case 'wait': {
      if (!/^\d+(?:\.\d+)?$/.test(rest)) return { do: 'wait', select: rest };
      const time = Number(rest);
      return time > 0 && time <= MAX_PAUSE_SECONDS ? { do: 'pause', time: seconds(time) } : undefined;
    }
    default:
      return undefined;
  }
}

/** How a step is shown to a person; contains no secret. */
export function describeBrowserLoginStep(step: BrowserLoginStep): string {
  switch (step.do) {
    case 'goto':
      return 'opened a page';
    case 'fill':
      return `filled in ${step.select} with ${step.field}`;
    case 'click':
      return `clicked ${step.select}`;
    case 'wait':
      return `waited for ${step.select}`;
    case 'pause':
      return `waited ${step.time / 1000} s`;
  }
}
