import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The politeness state of one web server, shared by all crawlers. */
@Entity('host', { withoutRowid: true })
export class HostRow {
  @PrimaryColumn('text') host!: string;
  @Column('bigint', { name: 'next_request_at' }) nextRequestAt!: string;
  @Column('bigint', { name: 'back_off_until' }) backOffUntil!: string;
  @Column('integer', { name: 'back_off_step' }) backOffStep!: number;
  @Column('smallint') paused!: number;
  @Column('bigint', { name: 'visit_price', default: 0 }) visitPrice!: string;
}
