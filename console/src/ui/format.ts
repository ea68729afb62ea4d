/** Formats numbers and times for display, in the user's locale and with units. */

const wholeFormat = new Intl.NumberFormat();
const oneDecimalFormat = new Intl.NumberFormat(undefined, { minimumFractionDigits: 1, maximumFractionDigits: 1 });

export const formatCount = (value: number): string => wholeFormat.format(value);

export const formatPlural = (value: number, singular: string, plural = `${singular}s`): string =>
  `${formatCount(value)} ${value === 1 ? singular : plural}`;

/** Adds a full stop to a text if it does not end with punctuation. */
export const addFullStop = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);

/** Formats a rate. Rates below one per ten seconds are shown per minute, so that they do not look like zero. */
export function formatRate(perSecond: number): string {
  if (perSecond > 0 && perSecond < 0.1) return `${oneDecimalFormat.format(perSecond * 60)}/min`;
  return `${perSecond >= 100 ? formatCount(Math.round(perSecond)) : oneDecimalFormat.format(perSecond)}/s`;
}

export function formatPercent(share: number): string {
  const value = share * 100;
  if (value > 0 && value < 0.1) return '< 0.1 %';
  return value > 0 && value < 1 ? `${oneDecimalFormat.format(value)} %` : `${wholeFormat.format(Math.round(value))} %`;
}

const SIZE_UNITS = ['B', 'KB', 'MB', 'GB', 'TB'] as const;

export function formatBytes(size: number): string {
  let value = size;
  let unitIndex = 0;
  while (value >= 1000 && unitIndex < SIZE_UNITS.length - 1) {
    value /= 1000;
    unitIndex++;
  }
  return `${unitIndex === 0 || value >= 100 ? wholeFormat.format(Math.round(value)) : oneDecimalFormat.format(value)} ${SIZE_UNITS[unitIndex]}`;
}

export function formatSeconds(seconds: number): string {
  if (seconds < 1) return `${wholeFormat.format(Math.round(seconds * 1000))} ms`;
  if (seconds < 60) return `${oneDecimalFormat.format(seconds)} s`;
  return formatDuration(seconds);
}

const DURATION_UNITS = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
  [1, 's'],
] as const;

/** Formats a duration in its two largest units, as in `1 d 4 h`. */
function formatDuration(seconds: number): string {
  const parts: string[] = [];
  let rest = Math.round(seconds);
  for (const [size, unit] of DURATION_UNITS) {
    const count = Math.floor(rest / size);
    if (count > 0) parts.push(`${count} ${unit}`);
    rest -= count * size;
    if (parts.length === 2 || (parts.length === 1 && rest === 0)) break;
  }
  return parts.join(' ') || '0 s';
}

/** Formats a future time as "in 2 h", or a time that has come as "due". */
export const formatDue = (at: number, now: number): string => (at <= now ? 'due' : formatRelativeTime(at, now));

/** Formats a time as "3 min ago" or "in 2 h". */
export function formatRelativeTime(at: number, now: number): string {
  const seconds = Math.abs(at - now) / 1000;
  if (seconds < 2) return 'now';
  const duration = seconds < 60 ? `${Math.round(seconds)} s` : formatDuration(seconds).split(' ').slice(0, 2).join(' ');
  return at > now ? `in ${duration}` : `${duration} ago`;
}
