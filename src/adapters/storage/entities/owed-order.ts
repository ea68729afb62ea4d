import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A URI whose newest order a sink has not received, because it was slow or down while another sink accepted it. */
@Entity('owed_order')
@Index('owed_order_next', ['crawler', 'sink', 'orderId'])
@Index('owed_order_since', ['crawler', 'sink', 'since'])
export class OwedOrderRow {
  @PrimaryColumn('text') crawler!: string;
  @PrimaryColumn('text') sink!: string;
  @PrimaryColumn('text') host!: string;
  /** 64 bits, see domain/url/url-key.ts. */
  @PrimaryColumn('bigint', { name: 'uri_key' }) uriKey!: string;
  @Column('text') uri!: string;
  @Column('bigint', { name: 'order_id' }) orderId!: string;
  @Column('bigint') since!: string;
  @Column('bigint', { name: 'asked_at', nullable: true }) askedAt!: string | null;
}
