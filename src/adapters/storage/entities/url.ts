import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * A known URL. For the meaning of the columns, see domain/crawl/url-state.ts. Status, source and arrival are stored as
 * small codes.
 */
@Entity('url')
@Index('url_of_site', ['siteId', 'key'], { unique: true })
@Index('url_status', ['status'])
@Index('url_pending_deletion', ['id'], { where: 'pending_deletion IS NOT NULL' })
@Index('url_error', ['reason', 'siteId', 'lastVisitAt'], { where: 'status = 4' })
@Index('url_canonical', ['canonical'], { where: 'canonical IS NOT NULL' })
@Index('url_removed', ['key', 'siteId', 'reason', 'lastVisitAt'], { where: 'status = 8' })
@Index('url_queue', ['siteId', 'source', 'dueAt'], { where: 'source IS NOT NULL' })
export class UrlRow {
  @PrimaryColumn('integer') id!: number;
  @Column('integer', { name: 'site_id' }) siteId!: number;
  /** 64 bits, see domain/url/url-key.ts. */
  @Column('bigint') key!: string;
  @Column('text') url!: string;
  @Column('smallint') status!: number;
  @Column('text') reason!: string;
  @Column('smallint', { nullable: true }) source!: number | null;
  @Column('bigint', { name: 'due_at' }) dueAt!: string;
  @Column('integer') hops!: number;
  @Column('integer') redirects!: number;
  @Column('smallint') arrival!: number;
  @Column('text', { name: 'found_on', nullable: true }) foundOn!: string | null;
  @Column('text', { nullable: true }) root!: string | null;
  /** JSON. */
  @Column('text', { name: 'inherited_metas', nullable: true }) inheritedMetas!: string | null;
  @Column('bigint', { name: 'first_seen_at' }) firstSeenAt!: string;
  @Column('bigint', { name: 'last_visit_at', nullable: true }) lastVisitAt!: string | null;
  @Column('smallint', { name: 'last_status', nullable: true }) lastStatus!: number | null;
  @Column('integer', { name: 'temporary_errors', default: 0 }) temporaryErrors!: number;
  @Column('smallint', { name: 'permanent_error', default: 0 }) permanentError!: number;
  @Column('integer', { default: 0 }) visits!: number;
  @Column('integer', { default: 0 }) changes!: number;
  @Column('bigint', { name: 'last_change_at', nullable: true }) lastChangeAt!: string | null;
  @Column('bigint', { name: 'change_interval', nullable: true }) changeInterval!: string | null;
  @Column('double precision', { name: 'change_doubt', nullable: true }) changeUncertainty!: number | null;
  @Column('text', { nullable: true }) etag!: string | null;
  @Column('text', { name: 'last_modified', nullable: true }) lastModified!: string | null;
  @Column('text', { nullable: true }) stamp!: string | null;
  @Column('bigint', { nullable: true }) simhash!: string | null;
  @Column('text', { name: 'content_type', nullable: true }) contentType!: string | null;
  @Column('text', { nullable: true }) title!: string | null;
  @Column('text', { name: 'pending_deletion', nullable: true }) pendingDeletion!: string | null;
  @Column('text', { nullable: true }) canonical!: string | null;
  @Column('text', { nullable: true }) parts!: string | null;
}
