import { randomBytes } from 'node:crypto';
import { BoundedMap } from '../../domain/bounded-map.js';
import { after, hours, type Instant, seconds } from '../../domain/time/units.js';
import type { Clock } from '../../engine/ports/clock.js';
import { type Caller, computeDigest, type Role } from '../security/api-keys.js';

/** The session of a user who has signed in. */
export interface StoredSession {
  /** SHA-256 of the cookie's value, in hex. */
  readonly digest: string;
  readonly name: string;
  readonly role: Role;
  readonly expiresAt: Instant;
}

/** Stores sessions; shared by all servers on a database. */
export interface SessionStore {
  findSession(digest: string): Promise<StoredSession | undefined>;
  /** Also removes sessions that have ended. */
  addSession(session: StoredSession, now: Instant): Promise<void>;
  removeSession(digest: string): Promise<void>;
}

/** A working day, after which roles that were removed at the provider no longer apply. */
export const SESSION_LENGTH = hours(8);
/** How long a known session is used before it is reread: another server on the database may have ended it. */
const REREAD_INTERVAL = seconds(10);
const MAX_CACHED = 1_000;

interface CachedSession {
  readonly session: StoredSession | undefined;
  readonly readAt: Instant;
}

/** Sessions of the console's users. Only the browser knows the value of the cookie. */
export class ConsoleSessions {
  private readonly cachedSessions = new BoundedMap<string, CachedSession>(MAX_CACHED);

  constructor(
    private readonly store: SessionStore,
    private readonly clock: Clock,
  ) {}

  /** Creates a session; returns the cookie's value. */
  async createSession({ name, role }: Caller): Promise<string> {
    const token = randomBytes(32).toString('base64url');
    const now = this.clock.now();
    await this.store.addSession({ digest: digestToken(token), name, role, expiresAt: after(now, SESSION_LENGTH) }, now);
    return token;
  }

  async findCaller(token: string): Promise<Caller | undefined> {
    const session = await this.readSession(digestToken(token));
    if (!session || this.clock.now() >= session.expiresAt) return undefined;
    return { name: session.name, role: session.role };
  }

  async endSession(token: string): Promise<void> {
    const digest = digestToken(token);
    await this.store.removeSession(digest);
    this.cachedSessions.delete(digest);
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
