/**
 * Types for times that include the unit, because crawlers have been shipped with seconds where milliseconds were meant.
 * Both types are plain numbers at run time; the brand exists only for the compiler.
 */

declare const unit: unique symbol;

/** A length of time in milliseconds. */
export type Duration = number & { readonly [unit]: 'ms' };

/** A moment: milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = number & { readonly [unit]: 'ms since epoch' };

export const milliseconds = (n: number): Duration => n as Duration;
export const seconds = (n: number): Duration => (n * 1000) as Duration;
export const minutes = (n: number): Duration => (n * 60_000) as Duration;
export const hours = (n: number): Duration => (n * 3_600_000) as Duration;
export const days = (n: number): Duration => (n * 86_400_000) as Duration;

export const toSeconds = (d: Duration): number => d / 1000;

export const instant = (msSinceEpoch: number): Instant => msSinceEpoch as Instant;
export const after = (moment: Instant, wait: Duration): Instant => (moment + wait) as Instant;
export const before = (moment: Instant, wait: Duration): Instant => (moment - wait) as Instant;
export const between = (from: Instant, to: Instant): Duration => (to - from) as Duration;

export const earlier = (a: Instant, b: Instant): Instant => (a < b ? a : b);

export const atLeast = (d: Duration, minimum: Duration): Duration => (d < minimum ? minimum : d);
export const atMost = (d: Duration, maximum: Duration): Duration => (d > maximum ? maximum : d);

export const NEVER: Instant = Number.MAX_SAFE_INTEGER as Instant;
