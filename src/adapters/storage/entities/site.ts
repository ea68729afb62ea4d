import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * One web server as seen by one crawler. Rows of `url` refer to that pair by a small id. Because of the counts, listing
 * hosts, checking the deletion guard and walking over backlogs take little time, however many URLs there are.
 */
@Entity('site')
@Index('site_of_host', ['crawler', 'host'], { unique: true })
@Index('site_next_due', ['crawler', 'nextDueAt'], { where: 'next_due_at IS NOT NULL' })
export class SiteRow {
  @PrimaryColumn('integer') id!: number;
  @Column('text') crawler!: string;
  /** Host key: host name, with the port if it is not a default one. */
  @Column('text') host!: string;
  @Column('integer', { default: 0 }) urls!: number;
  @Column('integer', { default: 0 }) indexed!: number;
  @Column('integer', { default: 0 }) errors!: number;
  @Column('integer', { default: 0 }) queued!: number;
  /** Earliest due time of its queued URLs; null if none is queued. */
  @Column('bigint', { name: 'next_due_at', nullable: true }) nextDueAt!: string | null;
}
