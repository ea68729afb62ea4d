import { type DataSource, LessThan } from 'typeorm';
import type { Instant } from '../../domain/time/units.js';
import { AuditRow } from './entities/audit-entry.js';
import { ConfigurationVersionRow } from './entities/configuration-version.js';

/** A configuration that was in force once, without its text. */
export interface StoredVersion {
  readonly version: number;
  readonly at: Instant;
  readonly who: string;
  /** SHA-256 of the text and of the files that it names, hex. */
  readonly digest: string;
}

/** CrawlConfig.xml and the files of rules that it names, by name. */
export interface StoredTexts {
  readonly xml: string;
  readonly files: ReadonlyMap<string, string>;
}

export interface StoredAuditEntry {
  readonly at: Instant;
  readonly who: string;
  /** What was done: the operation's name. */
  readonly what: string;
  readonly target: string;
  readonly outcome: string;
  readonly before: string;
  readonly after: string;
}

/** Audit entries kept; the oldest go first. */
const KEPT_AUDIT_ENTRIES = 100_000;

/**
 * What the server keeps besides the crawl: every configuration that was in force, and who did what. Few rows, seldom
 * written, on a connection of its own. Every write is one statement: transactions of TypeORM on SQLite share one
 * connection, and one that rolls back takes what others wrote in between with it.
 */
export class AdminStore {
  readonly #dataSource: DataSource;
  readonly #portError: (error: unknown) => unknown;

  /** `portError` makes StoreUnavailable or StoreDamaged of what the database says. */
  constructor(dataSource: DataSource, portError: (error: unknown) => unknown) {
    this.#dataSource = dataSource;
    this.#portError = portError;
  }

  /** Newest first, from before the version given. */
  async versions(before: number | undefined, limit: number): Promise<StoredVersion[]> {
    const rows = await this.#versions.find({
      select: { id: true, at: true, who: true, digest: true },
      where: before === undefined ? {} : { id: LessThan(before) },
      order: { id: 'DESC' },
      take: limit,
    });
    return rows.map(({ id, at, who, digest }) => ({ version: id, at: Number(at) as Instant, who, digest }));
  }

  /** The texts of a version; undefined for a number never used. */
  async texts(version: number): Promise<StoredTexts | undefined> {
    const row = await this.#versions.findOne({ select: { xml: true, files: true }, where: { id: version } });
    return row ? { xml: row.xml, files: new Map(Object.entries(JSON.parse(row.files))) } : undefined;
  }

  /** The version added last is the one in force: restoring an old one adds its text again. */
  async add(entry: Omit<StoredVersion, 'version'> & StoredTexts): Promise<StoredVersion> {
    const { at, who, digest, xml } = entry;
    const files = JSON.stringify(Object.fromEntries(entry.files));
    const { identifiers } = await this.#write(() => this.#versions.insert({ at: String(at), who, digest, xml, files }));
    return { version: identifiers[0]!['id'] as number, at, who, digest };
  }

  async append(entry: StoredAuditEntry): Promise<void> {
    const { identifiers } = await this.#write(() => this.#audit.insert({ ...entry, at: String(entry.at) }));
    const newest = identifiers[0]!['id'] as number;
    await this.#write(() => this.#audit.delete({ id: LessThan(newest - KEPT_AUDIT_ENTRIES + 1) }));
  }

  /** Newest first, from before the entry given. */
  async entries(before: number | undefined, limit: number): Promise<(StoredAuditEntry & { readonly id: number })[]> {
    const rows = await this.#audit.find({
      where: before === undefined ? {} : { id: LessThan(before) },
      order: { id: 'DESC' },
      take: limit,
    });
    return rows.map((row) => ({ ...row, at: Number(row.at) as Instant }));
  }

  close(): Promise<void> {
    return this.#dataSource.destroy();
  }

  async #write<T>(statement: () => Promise<T>): Promise<T> {
    try {
      return await statement();
    } catch (error) {
      throw this.#portError(error);
    }
  }

  get #versions() {
    return this.#dataSource.getRepository(ConfigurationVersionRow);
  }

  get #audit() {
    return this.#dataSource.getRepository(AuditRow);
  }
}
