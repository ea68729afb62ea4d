import { type DataSource, LessThan } from 'typeorm';
import type { Instant } from '../../../domain/time/units.js';
import type {
  AuditEntry,
  AuditLog,
  ConfigurationHistory,
  ConfigurationTexts,
  KeyStore,
  NewVersion,
  SecretStore,
  SessionStore,
  StoredKey,
  StoredSecret,
  StoredSession,
  VersionHeader,
} from '../../../engine/ports/administration.js';
import { ApiKeyRow, AuditRow, ConfigurationVersionRow, ConsoleSessionRow, SecretRow } from './admin-rows.js';
import type { Seal } from './seal.js';

/** Maximum number of audit entries to keep; the oldest are deleted first. */
const MAX_AUDIT_ENTRIES = 100_000;

/** The ids of these tables are 32-bit integers, for which PostgreSQL refuses larger ones instead of finding none. */
const toId = (number: number): number => Math.min(number, 2 ** 31 - 1);

/**
 * Stores the server's administrative data: configuration versions, secrets, audit log, API keys and console sessions.
 * These are few rows, seldom written, on a separate connection. Every write is a single statement: TypeORM's transactions on
 * SQLite share one connection, and rolling one back would also undo what others wrote in the meantime.
 */
export class AdminStore implements ConfigurationHistory, AuditLog, KeyStore, SecretStore, SessionStore {
  readonly #dataSource: DataSource;
  readonly #toPortError: (error: unknown) => unknown;
  readonly #seal: Seal | undefined;
  readonly #requireFile: () => void;

  /**
   * `toPortError` converts database errors to StoreUnavailable or StoreDamaged. Without `seal`, no secret is stored.
   * `requireFile` throws if what would be written is lost.
   */
  constructor(dataSource: DataSource, toPortError: (error: unknown) => unknown, seal?: Seal, requireFile = () => {}) {
    this.#dataSource = dataSource;
    this.#toPortError = toPortError;
    this.#seal = seal;
    this.#requireFile = requireFile;
  }

  async listVersions(before: number | undefined, limit: number): Promise<VersionHeader[]> {
    const rows = await this.#versions.find({
      select: { id: true, at: true, who: true, digest: true },
      where: before === undefined ? {} : { id: LessThan(toId(before)) },
      order: { id: 'DESC' },
      take: limit,
    });
    return rows.map(({ id, at, who, digest }) => ({ version: id, at: Number(at) as Instant, who, digest }));
  }

  async findTexts(version: number): Promise<ConfigurationTexts | undefined> {
    const row = await this.#versions.findOne({ select: { xml: true, files: true }, where: { id: toId(version) } });
    if (!row) return undefined;
    return { xml: row.xml, files: new Map(Object.entries(JSON.parse(row.files))) };
  }

  add(entry: NewVersion): Promise<VersionHeader>;
  add(entry: NewVersion, newest: number | undefined): Promise<VersionHeader | undefined>;
  /** Servers that share the database may add versions at the same time: each number is given once. */
  async add({ at, who, digest, xml, files }: NewVersion, newest?: number): Promise<VersionHeader | undefined> {
    const values = { at: String(at), who, digest, xml, files: JSON.stringify(Object.fromEntries(files)) };
    for (;;) {
      const [latest] = await this.listVersions(undefined, 1);
      const version = (latest?.version ?? 0) + 1;
      if (newest !== undefined && version !== newest + 1) return undefined;
      await this.#write(() =>
        this.#versions
          .createQueryBuilder()
          .insert()
          // Without the columns, TypeORM leaves the number to PostgreSQL, which gives the next one.
          .into(ConfigurationVersionRow, ['id', 'at', 'who', 'digest', 'xml', 'files'])
          .values({ id: version, ...values })
          .orIgnore()
          .execute(),
      );
      const stored = await this.#versions.findOneBy({ id: version });
      if (stored?.digest === digest && stored.who === who && String(stored.at) === values.at)
        return { version, at, who, digest };
    }
  }

  async append(entry: AuditEntry): Promise<void> {
    const row = { ...entry, at: String(entry.at) };
    // A path or query may have a NUL, and PostgreSQL's text cannot: the call would be made without a trace of it.
    const storable = Object.entries(row).map(([name, value]) => [name, value?.replaceAll('\0', '\uFFFD')]);
    const { identifiers } = await this.#write(() => this.#audit.insert(Object.fromEntries(storable)));
    const newestId = identifiers[0]!['id'] as number;
    await this.#write(() => this.#audit.delete({ id: LessThan(newestId - MAX_AUDIT_ENTRIES + 1) }));
  }

  async listEntries(
    before: number | undefined,
    limit: number,
    crawler?: string,
  ): Promise<(AuditEntry & { readonly id: number })[]> {
    const rows = await this.#audit.find({
      where: {
        ...(before === undefined ? {} : { id: LessThan(toId(before)) }),
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

  async listKeys(): Promise<StoredKey[]> {
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

  async addKey(key: StoredKey): Promise<boolean> {
    const expiresAt = key.expiresAt === undefined ? null : String(key.expiresAt);
    const values = { ...key, createdAt: String(key.createdAt), expiresAt };
    await this.#write(() => this.#keys.createQueryBuilder().insert().values(values).orIgnore().execute());
    return (await this.#keys.findOneBy({ name: key.name }))?.digest === key.digest;
  }

  async removeKey(name: string): Promise<boolean> {
    const { affected } = await this.#write(() => this.#keys.delete({ name }));
    return affected !== 0;
  }

  async findSession(digest: string): Promise<StoredSession | undefined> {
    const row = await this.#sessions.findOneBy({ digest });
    if (!row) return undefined;
    return { digest, name: row.name, role: row.role, expiresAt: Number(row.expiresAt) as Instant };
  }

  async addSession(session: StoredSession, now: Instant): Promise<void> {
    await this.#write(() => this.#sessions.save({ ...session, expiresAt: String(session.expiresAt) }));
    await this.#write(() => this.#sessions.delete({ expiresAt: LessThan(String(now)) }));
  }

  async renewSession({ digest, role, expiresAt }: StoredSession): Promise<boolean> {
    const { affected } = await this.#write(() =>
      this.#sessions.update({ digest }, { role, expiresAt: String(expiresAt) }),
    );
    return affected !== 0;
  }

  async removeSession(digest: string): Promise<void> {
    await this.#write(() => this.#sessions.delete({ digest }));
  }

  get storesSecrets(): boolean {
    return this.#seal !== undefined;
  }

  async listSecrets(): Promise<StoredSecret[]> {
    const rows = await this.#secrets.find({ select: { name: true, setAt: true, setBy: true }, order: { name: 'ASC' } });
    return rows.map(({ name, setAt, setBy }) => ({ name, setAt: Number(setAt) as Instant, setBy }));
  }

  async putSecret({ name, setAt, setBy }: StoredSecret, value: string): Promise<void> {
    if (!this.#seal) throw new Error('there is no key with which to encrypt the secret');
    const row = { name, setAt: String(setAt), setBy, value: this.#seal.seal(value, name) };
    await this.#write(() => this.#secrets.upsert(row, ['name']));
  }

  async removeSecret(name: string): Promise<boolean> {
    const { affected } = await this.#write(() => this.#secrets.delete({ name }));
    return affected !== 0;
  }

  close(): Promise<void> {
    return this.#dataSource.destroy();
  }

  async #write<T>(statement: () => Promise<T>): Promise<T> {
    try {
      this.#requireFile();
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
