/**
 * Every reason that the crawl policy can give for a verdict, as data: stable code → layer, meaning, remedy.
 */
export interface ReasonEntry {
  readonly layer: string;
  readonly meaning: string;
  readonly remedy: string;
}

export const REASONS = {
  accepted: { layer: 'all', meaning: 'No layer rejects the URL.', remedy: 'Nothing to do.' },
} as const satisfies Record<string, ReasonEntry>;

export type ReasonCode = keyof typeof REASONS;
