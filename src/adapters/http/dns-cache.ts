/**
 * Maps names to addresses, cached for a short time. Distinguishes two failures: the name does not exist (permanent), or
 * no name server responds (temporary). Names below `localhost` have the addresses of `localhost` (RFC 6761, 6.3).
 */
import { lookup as systemLookup } from 'node:dns/promises';
import { isInAnyCidr } from '../../domain/net/address.js';
import { toLookupName } from '../../domain/net/local-names.js';
import { FetchFailure } from './fetch-failure.js';

export interface HostAddress {
  readonly address: string;
  readonly family: number;
}

/** Rejects with the system's error, whose `code` distinguishes the two failures. */
export type Lookup = (hostname: string) => Promise<readonly HostAddress[]>;

interface Entry {
  readonly addresses: Promise<readonly HostAddress[]>;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

const MAX_ENTRIES = 10_000;
/** The system's resolver returns no time to live; a minute is typical for short-lived records. */
const ADDRESSES_TTL_MS = 60_000;
/** Only for calls at the same time: whoever has corrected a name and asks again wants it looked up again. */
const FAILURE_TTL_MS = 2_000;
const NOT_FOUND_CODES: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA', 'EAI_NONAME', 'EAI_NODATA']);

const LOOPBACK: readonly HostAddress[] = [{ address: '127.0.0.1', family: 4 }];
const isLoopback = ({ address }: HostAddress): boolean => isInAnyCidr(address, ['127.0.0.0/8', '::1/128']);

/** Uses the system's resolver, which also reads the hosts file. */
const resolveBySystem: Lookup = (hostname) => systemLookup(hostname, { all: true, order: 'verbatim' });

/** Never leads from a name below `localhost` to another machine, whatever the resolver says. */
async function resolveLocalhost(lookup: Lookup): Promise<readonly HostAddress[]> {
  const addresses = await lookup('localhost').catch(() => LOOPBACK);
  const loopback = addresses.filter(isLoopback);
  return loopback.length > 0 ? loopback : LOOPBACK;
}

export class DnsCache {
  private readonly entries = new Map<string, Entry>();

  constructor(
    private readonly lookup: Lookup = resolveBySystem,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * Resolves with at least one address, or rejects with FetchFailure `dns-not-found` or `dns-no-answer`. Concurrent
   * calls share one query.
   */
  resolve(hostname: string): Promise<readonly HostAddress[]> {
    const cached = this.entries.get(hostname);
    if (cached && cached.expiresAt > this.now()) return cached.addresses;
    const addresses =
      toLookupName(hostname) !== hostname ? resolveLocalhost(this.lookup) : this.resolveUncached(hostname);
    const entry: Entry = { addresses, expiresAt: Number.POSITIVE_INFINITY };
    this.store(hostname, entry);
    entry.addresses.then(
      () => this.setLifetime(entry, ADDRESSES_TTL_MS),
      () => this.setLifetime(entry, FAILURE_TTL_MS),
    );
    return entry.addresses;
  }

  private async resolveUncached(hostname: string): Promise<readonly HostAddress[]> {
    let addresses: readonly HostAddress[];
    try {
      addresses = await this.lookup(hostname);
    } catch (error) {
      const code = (error as { code?: unknown }).code;
      throw NOT_FOUND_CODES.has(code)
        ? new FetchFailure('dns-not-found', `The host name ${hostname} does not exist (${code}). Check its spelling.`)
        : new FetchFailure(
            'dns-no-answer',
            `No name server responded for ${hostname} (${code ?? error}). Check this machine's DNS resolver. Crawlway will retry the lookup.`,
          );
    }
    if (addresses.length === 0) throw new FetchFailure('dns-not-found', `The name ${hostname} has no address.`);
    return addresses;
  }

  private setLifetime(entry: Entry, lifetime: number): void {
    entry.expiresAt = this.now() + lifetime;
  }

  private store(hostname: string, entry: Entry): void {
    this.entries.delete(hostname);
    this.entries.set(hostname, entry);
    if (this.entries.size <= MAX_ENTRIES) return;
    const [oldest] = this.entries.keys();
    if (oldest !== undefined) this.entries.delete(oldest);
  }
}
