import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** An entry of the ledger: what was sent to the sinks, why, and how they responded. */
@Entity('push_order')
@Index('push_order_state', ['state', 'id'])
@Index('push_order_uri', ['uriKey'])
export class PushOrderRow {
  @PrimaryColumn('integer') id!: number;
  @Column('text') crawler!: string;
  @Column('text') uri!: string;
  /** 64 bits, see domain/url/url-key.ts: an index on the key takes a fifth of the space of an index on the text. */
  @Column('bigint', { name: 'uri_key' }) uriKey!: string;
  @Column('text') host!: string;
  @Column('smallint') kind!: number;
  @Column('text') reason!: string;
  @Column('bigint', { name: 'decided_at' }) decidedAt!: string;
  @Column('smallint') state!: number;
  @Column('integer') attempts!: number;
  @Column('bigint', { name: 'answered_at', nullable: true }) answeredAt!: string | null;
  @Column('text', { nullable: true }) answer!: string | null;
  @Column('text', { nullable: true }) stamp!: string | null;
}
