import { type DataSource, LessThan } from 'typeorm';
import type { Instant } from '../../../domain/time/units.js';
import { ApiKeyRow, AuditRow, ConfigurationVersionRow, ConsoleSessionRow, SecretRow } from './admin-rows.js';
import type { Seal } from './seal.js';

/** A configuration that was in force at some point, without its text. */
export interface StoredVersion {
  readonly version: number;
  readonly at: Instant;
  readonly who: string;
  /** SHA-256 of the text and of the files that it names, in hexadecimal. */
  readonly digest: string;
}

/** The contents of CrawlConfig.xml and of the rule files that it names, by name. */
export interface StoredTexts {
  readonly xml: string;
  readonly files: ReadonlyMap<string, string>;
}

export interface StoredAuditEntry {
  readonly at: Instant;
  readonly who: string;
  /** Name of the operation. */
  readonly what: string;
  readonly target: string;
  /** The crawler that the call named. */
  readonly crawler?: string;
  readonly outcome: string;
  readonly before: string;
  readonly after: string;
}

/** An API key that was created through the API. */
export interface StoredApiKey {
  readonly name: string;
  /** The role, and the crawlers to which it is limited, if it is. */
  readonly role: string;
  /** SHA-256 of the key in hexadecimal. */
  readonly digest: string;
  readonly createdAt: Instant;
  readonly createdBy: string;
  readonly expiresAt?: Instant;
}

/** A secret to which configurations refer, without its value. */
export interface StoredSecret {
  readonly name: string;
  readonly setAt: Instant;
  readonly setBy: string;
}

/** The session of a user who has signed in to the console. */
export interface StoredConsoleSession {
  /** SHA-256 of the cookie's value in hexadecimal. */
  readonly digest: string;
  readonly name: string;
  /** The roles, with the crawlers to which they are limited. */
  readonly role: string;
  readonly expiresAt: Instant;
}

/** Maximum number of audit entries to keep; the oldest are deleted first. */
const MAX_AUDIT_ENTRIES = 100_000;

/**
 * Stores the server's administrative data: configuration versions, secrets, audit log, API keys and console sessions.
 * These are few rows, seldom written, on a separate connection. Every write is a single statement: TypeORM's transactions on
 * SQLite share one connection, and rolling one back would also undo what others wrote in the meantime.
 */
export class AdminStore {
  readonly #dataSource: DataSource;
  readonly #toPortError: (error: unknown) => unknown;

  readonly #seal: Seal | undefined;

  /** `toPortError` converts database errors to StoreUnavailable or StoreDamaged. Without `seal`, no secret is stored. */
  constructor(dataSource: DataSource, toPortError: (error: unknown) => unknown, seal?: Seal) {
    this.#dataSource = dataSource;
    this.#toPortError = toPortError;
    this.#seal = seal;
  }

  /** Lists the versions before the given one, newest first. */
  async listVersions(before: number | undefined, limit: number): Promise<StoredVersion[]> {
    const rows = await this.#versions.find({
      select: { id: true, at: true, who: true, digest: true },
      where: before === undefined ? {} : { id: LessThan(before) },
      order: { id: 'DESC' },
      take: limit,
    });
    return rows.map(({ id, at, who, digest }) => ({ version: id, at: Number(at) as Instant, who, digest }));
  }

  /** Returns the texts of a version; undefined if the number is unknown. */
  async findTexts(version: number): Promise<StoredTexts | undefined> {
    const row = await this.#versions.findOne({ select: { xml: true, files: true }, where: { id: version } });
    if (!row) return undefined;
    return { xml: row.xml, files: new Map(Object.entries(JSON.parse(row.files))) };
  }

  /** Adds a version. The newest version is in force, so an old one is restored by adding its text again. */
  async add(entry: Omit<StoredVersion, 'version'> & StoredTexts): Promise<StoredVersion> {
    const { at, who, digest, xml } = entry;
    const files = JSON.stringify(Object.fromEntries(entry.files));
    const { identifiers } = await this.#write(() => this.#versions.insert({ at: String(at), who, digest, xml, files }));
    return { version: identifiers[0]!['id'] as number, at, who, digest };
  }

  async append(entry: StoredAuditEntry): Promise<void> {
    const { identifiers } = await this.#write(() => this.#audit.insert({ ...entry, at: String(entry.at) }));
    const newestId = identifiers[0]!['id'] as number;
    await this.#write(() => this.#audit.delete({ id: LessThan(newestId - MAX_AUDIT_ENTRIES + 1) }));
  }

  /** Lists the entries before the given one, newest first; all, or those that name the crawler. */
  async listEntries(
    before: number | undefined,
    limit: number,
    crawler?: string,
  ): Promise<(StoredAuditEntry & { readonly id: number })[]> {
    const rows = await this.#audit.find({
      where: {
        ...(before === undefined ? {} : { id: LessThan(before) }),
        ...(crawler === undefined ? {} : { crawler }),
      },
      order: { id: 'DESC' },
      take: limit,
    });
    return rows.map(({ crawler: named, ...row }) => ({
      ...row,
      ...(named === null ? {} : { crawler: named }),
      at: Number(row.at) as Instant,
    }));
  }

  /** Lists the keys, sorted by name. */
  async listKeys(): Promise<StoredApiKey[]> {
    const rows = await this.#keys.find({ order: { name: 'ASC' } });
    return rows.map(({ name, role, digest, createdAt, createdBy, expiresAt }) => ({
      name,
      role,
      digest,
      createdAt: Number(createdAt) as Instant,
      createdBy,
      ...(expiresAt === null ? {} : { expiresAt: Number(expiresAt) as Instant }),
    }));
  }

  /** Returns false and changes nothing if a key with the name already exists. */
  async addKey(key: StoredApiKey): Promise<boolean> {
    const expiresAt = key.expiresAt === undefined ? null : String(key.expiresAt);
    const values = { ...key, createdAt: String(key.createdAt), expiresAt };
    await this.#write(() => this.#keys.createQueryBuilder().insert().values(values).orIgnore().execute());
    return (await this.#keys.findOneBy({ name: key.name }))?.digest === key.digest;
  }

  /** Returns false if there is no key with the name. */
  async removeKey(name: string): Promise<boolean> {
    const { affected } = await this.#write(() => this.#keys.delete({ name }));
    return affected !== 0;
  }

  /** Finds a session, even if it has expired. */
  async findSession(digest: string): Promise<StoredConsoleSession | undefined> {
    const row = await this.#sessions.findOneBy({ digest });
    if (!row) return undefined;
    return { digest, name: row.name, role: row.role, expiresAt: Number(row.expiresAt) as Instant };
  }

  /** Adds or replaces a session, and deletes expired ones. */
  async addSession(session: StoredConsoleSession, now: Instant): Promise<void> {
    await this.#write(() => this.#sessions.save({ ...session, expiresAt: String(session.expiresAt) }));
    await this.#write(() => this.#sessions.delete({ expiresAt: LessThan(String(now)) }));
  }

  async removeSession(digest: string): Promise<void> {
    await this.#write(() => this.#sessions.delete({ digest }));
  }

  /** Whether there is a key with which to encrypt secrets. */
  get storesSecrets(): boolean {
    return this.#seal !== undefined;
  }

  /** Lists the secrets, sorted by name. */
  async listSecrets(): Promise<StoredSecret[]> {
    const rows = await this.#secrets.find({ select: { name: true, setAt: true, setBy: true }, order: { name: 'ASC' } });
    return rows.map(({ name, setAt, setBy }) => ({ name, setAt: Number(setAt) as Instant, setBy }));
  }

  /** Adds or replaces a secret; requires `storesSecrets`. */
  async putSecret({ name, setAt, setBy }: StoredSecret, value: string): Promise<void> {
    if (!this.#seal) throw new Error('there is no key with which to encrypt the secret');
    const row = { name, setAt: String(setAt), setBy, value: this.#seal.seal(value, name) };
    await this.#write(() => this.#secrets.upsert(row, ['name']));
  }

  /** Returns false if there is no secret with the name. */
  async removeSecret(name: string): Promise<boolean> {
    const { affected } = await this.#write(() => this.#secrets.delete({ name }));
    return affected !== 0;
  }

  close(): Promise<void> {
    return this.#dataSource.destroy();
  }

  async #write<T>(statement: () => Promise<T>): Promise<T> {
    try {
      return await statement();
    } catch (error) {
      throw this.#toPortError(error);
    }
  }

  get #versions() {
    return this.#dataSource.getRepository(ConfigurationVersionRow);
  }

  get #keys() {
    return this.#dataSource.getRepository(ApiKeyRow);
  }

  get #secrets() {
    return this.#dataSource.getRepository(SecretRow);
  }

  get #sessions() {
    return this.#dataSource.getRepository(ConsoleSessionRow);
  }

  get #audit() {
    return this.#dataSource.getRepository(AuditRow);
  }
}
