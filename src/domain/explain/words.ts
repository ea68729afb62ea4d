import { ERROR_CODES } from '../fetch/error-codes.js';
import { REASONS } from '../policy/reasons.js';
import type { Verdict } from '../policy/verdict.js';
import { formatIsoTime } from '../time/http-date.js';
import { type Instant, NEVER } from '../time/units.js';
import type { RobotsOpinion } from './facts.js';

interface CodeEntry {
  readonly meaning: string;
  readonly remedy: string;
}

/** Finds the meaning of a reason code or error code, and what to change. */
export function findCodeEntry(code: string): CodeEntry {
  return (
    (REASONS as Readonly<Record<string, CodeEntry>>)[code] ??
    (ERROR_CODES as Readonly<Record<string, CodeEntry>>)[code] ?? { meaning: `${code}.`, remedy: 'See the visits.' }
  );
}

/** Removes the full stop, for use inside another sentence. */
export const stripFullStop = (sentence: string): string => sentence.replace(/\.$/, '');

export const formatTime = (at: Instant): string => formatIsoTime(at).replace(/\.\d{3}Z$/, 'Z');

export const describeNextAttempt = (dueAt: Instant | undefined, now: Instant): string =>
  dueAt === undefined || dueAt >= NEVER
    ? ''
    : dueAt <= now
      ? 'It is due now.'
      : `Its next visit is at ${formatTime(dueAt)}.`;

export const describeUntil = (at: Instant): string => `until ${formatTime(at)}`;

/** Describes why the policy rejects a URL, with the layer and the place in the configuration that decided. */
export function describePolicyVerdict({ reason, layer, detail, place }: Verdict): string {
  const description = detail ?? stripFullStop(findCodeEntry(reason).meaning);
  const location = [layer, place && `${place.file}:${place.line}`].filter((part) => part !== undefined).join(', ');
  return location === '' ? description : `${description} (${location})`;
}

export function describeRobotsRule({ agent, line, rule }: RobotsOpinion): string {
  const ruleText = line === undefined ? '' : ` (line ${line}: ${rule})`;
  return `robots.txt disallows it for ${agent}${ruleText}`;
}
