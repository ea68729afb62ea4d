/** The tables of the administrative data, as TypeORM reads and writes them. */
import { Column, Entity, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

/** A configuration that was put into force; rows never change. The newest one is in force. */
@Entity('configuration_version')
export class ConfigurationVersionRow {
  @PrimaryGeneratedColumn('increment', { type: 'integer' }) id!: number;
  /** Milliseconds since 1970. */
  @Column('bigint') at!: string;
  /** Name of the API key, or `file` if the configuration was changed on disk. */
  @Column('text') who!: string;
  /** SHA-256 of the text and of the files that it names, in hexadecimal. */
  @Column('text') digest!: string;
  /** The text as in the file, with references in place of secrets. */
  @Column('text') xml!: string;
  /** Contents of the rule files that the text names, by name, as JSON. */
  @Column('text') files!: string;
}

/** A record of who did what through the API or the console. */
@Entity('audit')
export class AuditRow {
  @PrimaryGeneratedColumn('increment', { type: 'integer' }) id!: number;
  /** Milliseconds since 1970. */
  @Column('bigint') at!: string;
  @Column('text') who!: string;
  @Column('text') what!: string;
  @Column('text') target!: string;
  /** The crawler that the call named. */
  @Column('text', { nullable: true }) crawler!: string | null;
  @Column('text') outcome!: string;
  /** JSON, or empty. */
  @Column('text') before!: string;
  @Column('text') after!: string;
}

/** An API key that was created through the API. */
@Entity('api_key')
export class ApiKeyRow {
  @PrimaryColumn('text') name!: string;
  @Column('text') role!: string;
  /** SHA-256 of the key in hexadecimal: a random key does not need a slow hash. */
  @Column('text') digest!: string;
  /** Milliseconds since 1970. */
  @Column('bigint', { name: 'created_at' }) createdAt!: string;
  @Column('text', { name: 'created_by' }) createdBy!: string;
  @Column('bigint', { name: 'expires_at', nullable: true }) expiresAt!: string | null;
}

/** The session of a user who has signed in to the console. */
@Entity('console_session')
export class ConsoleSessionRow {
  /** SHA-256 of the cookie's value in hexadecimal. */
  @PrimaryColumn('text') digest!: string;
  @Column('text') name!: string;
  @Column('text') role!: string;
  /** Milliseconds since 1970. */
  @Column('bigint', { name: 'expires_at' }) expiresAt!: string;
}

/** A secret to which configurations refer by its name. */
@Entity('secret')
export class SecretRow {
  @PrimaryColumn('text') name!: string;
  /** Sealed, with the name as its context. */
  @Column('text') value!: string;
  /** Milliseconds since 1970. */
  @Column('bigint', { name: 'set_at' }) setAt!: string;
  @Column('text', { name: 'set_by' }) setBy!: string;
}

/**
 * The entities of every data source. The other tables have none, because their statements are written by hand; the
 * tables are created by migrations alone, never by TypeORM's `synchronize`.
 */
export const ADMIN_ENTITIES = [ConfigurationVersionRow, AuditRow, ApiKeyRow, ConsoleSessionRow, SecretRow];
