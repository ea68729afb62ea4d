/** Cache of responses that several pages can share: scripts, and data whose server allows caching. */

export interface GuestResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

interface Entry {
  readonly response: GuestResponse;
  readonly expiresAt: number;
}

const MAX_BYTES = 64 * 1024 * 1024;
const MAX_ENTRIES = 2_000;
/** Lifetime of scripts whose server does not state one: the pages of one crawl are read within minutes. */
const DEFAULT_SCRIPT_LIFETIME_S = 300;
const MAX_LIFETIME_S = 3_600;

export class GuestCache {
  private readonly entries = new Map<string, Entry>();
  private totalBytes = 0;

  constructor(private readonly now: () => number = Date.now) {}

  get(key: string): GuestResponse | undefined {
    const entry = this.entries.get(key);
    if (!entry) return undefined;
    if (entry.expiresAt > this.now()) return entry.response;
    this.delete(key, entry);
    return undefined;
  }

  /** Scripts are cached for a while even if the server does not say whether they may be. */
  set(key: string, response: GuestResponse, isScript: boolean): void {
    const seconds = computeLifetime(response, isScript);
    if (seconds <= 0 || response.body.byteLength > MAX_BYTES / 8) return;
    const previous = this.entries.get(key);
    if (previous) this.delete(key, previous);
    this.entries.set(key, { response, expiresAt: this.now() + seconds * 1000 });
    this.totalBytes += response.body.byteLength;
    for (const [oldestKey, entry] of this.entries) {
      if (this.entries.size <= MAX_ENTRIES && this.totalBytes <= MAX_BYTES) return;
      this.delete(oldestKey, entry);
    }
  }

  private delete(key: string, { response }: Entry): void {
    this.entries.delete(key);
    this.totalBytes -= response.body.byteLength;
  }
}

/** Request headers that are part of the key, or the same in every request of a fetcher. */
const SAME_FOR_ALL: ReadonlySet<string> = new Set([
  '',
  'accept',
  'accept-encoding',
  'accept-language',
  'origin',
  'user-agent',
]);

/** Returns the lifetime in seconds (RFC 9111); 0 for responses that are meant for a single visitor. */
function computeLifetime({ status, headers }: GuestResponse, isScript: boolean): number {
  const cacheControl = headers['cache-control']?.toLowerCase() ?? '';
  if (status !== 200 || headers['set-cookie'] !== undefined || /no-store|no-cache|private/.test(cacheControl)) return 0;
  const varying = (headers['vary'] ?? '').toLowerCase().split(',');
  if (varying.some((name) => !SAME_FOR_ALL.has(name.trim()))) return 0;
  const maxAge = /(?:s-maxage|max-age)\s*=\s*"?(\d{1,9})/.exec(cacheControl)?.[1];
  return Math.min(MAX_LIFETIME_S, maxAge === undefined ? (isScript ? DEFAULT_SCRIPT_LIFETIME_S : 0) : Number(maxAge));
}
