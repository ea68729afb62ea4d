import { Column, Entity, PrimaryColumn } from 'typeorm';

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
