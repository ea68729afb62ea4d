import { randomBytes } from 'node:crypto';
import { BoundedMap } from '../../domain/bounded-map.js';
import { after, earlier, hours, type Instant, minutes, seconds } from '../../domain/time/units.js';
import type { SessionStore, StoredSession } from '../../engine/ports/administration.js';
import type { Clock } from '../../engine/ports/clock.js';
import { type Caller, computeDigest, formatGrant, parseGrant } from '../security/api-keys.js';
import type { Confirmation, Grant } from './openid-provider.js';

/** A working day. */
export const SESSION_LENGTH = hours(8);
/** How often the provider is asked whether the person may still sign in. */
const CONFIRMATION_INTERVAL = minutes(10);
/** How long a session lasts without such a confirmation, because the server that could ask for it has ended. */
const UNCONFIRMED_LENGTH = minutes(20);
/** How long a known session is used before it is reread: another server on the database may have ended it. */
const REREAD_INTERVAL = seconds(10);
const MAX_CACHED = 1_000;

interface CachedSession {
  readonly session: StoredSession | undefined;
  readonly readAt: Instant;
}

interface OwnSession {
  readonly endsAt: Instant;
  readonly grant: Grant;
}

/**
 * Sessions of the console's users. Only the browser knows the value of the cookie. The server where a person signed in
 * keeps what it needs to ask the provider again, in memory; the session lasts only as long as that server confirms it.
 */
export class ConsoleSessions {
  private readonly own = new BoundedMap<string, OwnSession>(MAX_CACHED);
  private readonly timers = new Set<() => void>();
  private readonly cachedSessions = new BoundedMap<string, CachedSession>(MAX_CACHED);

  constructor(
    private readonly store: SessionStore,
    private readonly clock: Clock,
    private readonly confirm: (grant: Grant) => Promise<Confirmation>,
  ) {}

  /** Creates a session; returns the cookie's value. */
  async createSession({ name, grants }: Caller, grant: Grant): Promise<string> {
    const token = randomBytes(32).toString('base64url');
    const digest = digestToken(token);
    const now = this.clock.now();
    const endsAt = after(now, SESSION_LENGTH);
    this.own.set(digest, { endsAt, grant });
    const role = grants.map(formatGrant).join(' ');
    await this.store.addSession({ digest, name, role, expiresAt: after(now, UNCONFIRMED_LENGTH) }, now);
    this.scheduleConfirmation(digest);
    return token;
  }

  /** What the provider can be asked with about the session; undefined if the person signed in on another server. */
  findGrant(token: string): Grant | undefined {
    return this.own.get(digestToken(token))?.grant;
  }

  close(): void {
    for (const cancel of this.timers) cancel();
  }

  async findCaller(token: string): Promise<Caller | undefined> {
    const session = await this.readSession(digestToken(token));
    if (!session || this.clock.now() >= session.expiresAt) return undefined;
    const grants = session.role.split(' ').flatMap((text) => parseGrant(text) ?? []);
    return grants.length > 0 ? { name: session.name, grants } : undefined;
  }

  async endSession(token: string): Promise<void> {
    await this.remove(digestToken(token));
  }

  private async remove(digest: string): Promise<void> {
    this.own.delete(digest);
    await this.store.removeSession(digest);
    this.cachedSessions.delete(digest);
  }

  private scheduleConfirmation(digest: string): void {
    const cancel = this.clock.at(after(this.clock.now(), CONFIRMATION_INTERVAL), () => {
      this.timers.delete(cancel);
      // If the store fails, the session ends without a confirmation.
      this.renew(digest).catch(() => this.own.delete(digest));
    });
    this.timers.add(cancel);
  }

  private async renew(digest: string): Promise<void> {
    const own = this.own.get(digest);
    const session = own && (await this.store.findSession(digest));
    const now = this.clock.now();
    if (!own || !session || now >= own.endsAt) return void this.own.delete(digest);
    const confirmation = await this.confirm(own.grant);
    if (confirmation === 'refused') return this.remove(digest);
    const role = 'roles' in confirmation ? confirmation.roles.map(formatGrant).join(' ') : session.role;
    if (role === '') return this.remove(digest);
    const expiresAt = earlier(own.endsAt, after(now, UNCONFIRMED_LENGTH));
    // A person may have signed out meanwhile.
    if (!(await this.store.renewSession({ ...session, role, expiresAt }))) return void this.own.delete(digest);
    this.cachedSessions.delete(digest);
    this.own.set(digest, { ...own, grant: confirmation.grant });
    this.scheduleConfirmation(digest);
  }

  private async readSession(digest: string): Promise<StoredSession | undefined> {
    const now = this.clock.now();
    const cachedSession = this.cachedSessions.get(digest);
    if (cachedSession && now < after(cachedSession.readAt, REREAD_INTERVAL)) return cachedSession.session;
    const session = await this.store.findSession(digest);
    this.cachedSessions.set(digest, { session, readAt: now });
    return session;
  }
}

const digestToken = (token: string): string => Buffer.from(computeDigest(token)).toString('hex');
