import { ERROR_CODES } from '../fetch/error-codes.js';
import { REASONS } from '../policy/reasons.js';
import type { Verdict } from '../policy/verdict.js';
import { formatIsoTime } from '../time/http-date.js';
import { type Instant, NEVER } from '../time/units.js';
import type { RobotsOpinion } from './facts.js';

interface Entry {
  readonly meaning: string;
  readonly remedy: string;
}

/** The meaning of a reason code or error code, and what to change. */
export function findEntry(code: string): Entry {
  return (
    (REASONS as Readonly<Record<string, Entry>>)[code] ??
    (ERROR_CODES as Readonly<Record<string, Entry>>)[code] ?? { meaning: `${code}.`, remedy: 'See the visits.' }
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

/** Why the policy rejects a URL, with the layer and the place that decided. */
export function describePolicyVerdict({ reason, layer, detail, place }: Verdict): string {
  const what = detail ?? stripFullStop(findEntry(reason).meaning);
  const where = [layer, place && `${place.file}:${place.line}`].filter((part) => part !== undefined).join(', ');
  return where === '' ? what : `${what} (${where})`;
}

export function describeRobotsRule({ agent, line, rule }: RobotsOpinion): string {
  const by = line === undefined ? '' : ` (line ${line}: ${rule})`;
  return `robots.txt disallows it for ${agent}${by}`;
}
