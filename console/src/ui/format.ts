/** Formats numbers and times for people: in their locale, with units. */

const whole = new Intl.NumberFormat();
const oneDecimal = new Intl.NumberFormat(undefined, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });

export const formatCount = (value: number): string => whole.format(value);

/** Formats 1,234,567 as 1.2M, for places where a title has the exact number. */
export const formatShortCount = (value: number): string =>
  value < 10_000 ? whole.format(value) : compact.format(value);

export const formatPlural = (value: number, one: string, many = `${one}s`): string =>
  `${formatCount(value)} ${value === 1 ? one : many}`;

/** Adds a full stop to a text from elsewhere if it does not end in one. */
export const addFullStop = (words: string): string => (/[.!?…]$/.test(words) ? words : `${words}.`);

/** Formats a rate; rates below one in ten seconds are shown per minute, so that they do not look like zero. */
export function formatRate(perSecond: number): string {
  if (perSecond > 0 && perSecond < 0.1) return `${oneDecimal.format(perSecond * 60)}/min`;
  return `${perSecond >= 100 ? formatCount(Math.round(perSecond)) : oneDecimal.format(perSecond)}/s`;
}

export function formatPercent(share: number): string {
  const value = share * 100;
  if (value > 0 && value < 0.1) return '< 0.1 %';
  return value > 0 && value < 1 ? `${oneDecimal.format(value)} %` : `${whole.format(Math.round(value))} %`;
}

const SIZES = ['B', 'KB', 'MB', 'GB', 'TB'] as const;

export function formatBytes(size: number): string {
  let value = size;
  let unit = 0;
  while (value >= 1000 && unit < SIZES.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 || value >= 100 ? whole.format(Math.round(value)) : oneDecimal.format(value)} ${SIZES[unit]}`;
}

export function formatSeconds(length: number): string {
  if (length < 1) return `${whole.format(Math.round(length * 1000))} ms`;
  if (length < 60) return `${oneDecimal.format(length)} s`;
  return formatDuration(length);
}

const STEPS = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
  [1, 's'],
] as const;

/** Formats a duration in its two largest units, as in `1 d 4 h`. */
function formatDuration(length: number): string {
  const parts: string[] = [];
  let rest = Math.round(length);
  for (const [size, unit] of STEPS) {
    const number = Math.floor(rest / size);
    if (number > 0) parts.push(`${number} ${unit}`);
    rest -= number * size;
    if (parts.length === 2 || (parts.length === 1 && rest === 0)) break;
  }
  return parts.join(' ') || '0 s';
}

/** When something is to happen: "in 2 h", or "due" if that time has come. */
export const formatDue = (at: number, now: number): string => (at <= now ? 'due' : formatRelativeTime(at, now));

/** "3 min ago", "in 2 h". */
export function formatRelativeTime(at: number, now: number): string {
  const length = Math.abs(at - now) / 1000;
  if (length < 2) return 'now';
  const words = length < 60 ? `${Math.round(length)} s` : formatDuration(length).split(' ').slice(0, 2).join(' ');
  return at > now ? `in ${words}` : `${words} ago`;
}
