/** Cache of responses that many pages share: scripts and data that their server allows to be cached. */

export interface GuestAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

interface Entry {
  readonly answer: GuestAnswer;
  readonly until: number;
}

const MOST_BYTES = 64 * 1024 * 1024;
const MOST_ENTRIES = 2_000;
/** Lifetime of scripts whose server does not state one: the pages of one crawl are read within minutes. */
const UNSAID_S = 300;
const LONGEST_S = 3_600;

export class GuestCache {
  private readonly entries = new Map<string, Entry>();
  private bytes = 0;

  constructor(private readonly now: () => number = Date.now) {}

  get(key: string): GuestAnswer | undefined {
    const entry = this.entries.get(key);
    if (!entry) return undefined;
    if (entry.until > this.now()) return entry.answer;
    this.delete(key, entry);
    return undefined;
  }

  /** `script`: cached for a while even if the server does not say whether it may be. */
  set(key: string, answer: GuestAnswer, script: boolean): void {
    const seconds = computeLifetime(answer, script);
    if (seconds <= 0 || answer.body.byteLength > MOST_BYTES / 8) return;
    const known = this.entries.get(key);
    if (known) this.delete(key, known);
    this.entries.set(key, { answer, until: this.now() + seconds * 1000 });
    this.bytes += answer.body.byteLength;
    for (const [oldest, entry] of this.entries) {
      if (this.entries.size <= MOST_ENTRIES && this.bytes <= MOST_BYTES) return;
      this.delete(oldest, entry);
    }
  }

  private delete(key: string, { answer }: Entry): void {
    this.entries.delete(key);
    this.bytes -= answer.body.byteLength;
  }
}

/** Returns seconds (RFC 9111); responses for one particular visitor are not cached. */
function computeLifetime({ status, headers }: GuestAnswer, script: boolean): number {
  const control = headers['cache-control']?.toLowerCase() ?? '';
  if (status !== 200 || headers['set-cookie'] !== undefined || /no-store|no-cache|private/.test(control)) return 0;
  if (/cookie|authorization|\*/i.test(headers['vary'] ?? '')) return 0;
  const age = /(?:s-maxage|max-age)\s*=\s*"?(\d{1,9})/.exec(control)?.[1];
  return Math.min(LONGEST_S, age === undefined ? (script ? UNSAID_S : 0) : Number(age));
}
