import { Column, Entity, PrimaryColumn } from 'typeorm';

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
