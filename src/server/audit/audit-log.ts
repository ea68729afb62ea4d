import type { Instant } from '../../domain/time/units.js';

/**
 * One write through the API: who did what, to which target, and with what outcome. The writer limits the length of
 * strings.
 */
export interface AuditEntry {
  readonly at: Instant;
  /** Name of the API key; `local` if the server has no keys. */
  readonly who: string;
  /** operationId of the call; `configuration reload` when the file changed. */
  readonly what: string;
  /** Path and query of the call. */
  readonly target: string;
  /** The crawler that the call named; absent if it concerned the whole server. */
  readonly crawler?: string;
  readonly outcome: string;
  /** JSON, or empty. */
  readonly before: string;
  readonly after: string;
}

/** Append-only; the store limits its size. */
export interface AuditLog {
  append(entry: AuditEntry): Promise<void>;
  /** Newest first; all, or those that name the crawler. */
  listEntries(
    before: number | undefined,
    limit: number,
    crawler?: string,
  ): Promise<(AuditEntry & { readonly id: number })[]>;
}
