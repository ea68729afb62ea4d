import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * Where a page's links lead, as of the last time it was read in full. Stored only while a crawler has URLs whose status
 * is removed.
 */
@Entity('page_links')
export class PageLinksRow {
  @PrimaryColumn('integer', { name: 'url_id' }) urlId!: number;
  @Column('bigint') at!: string;
  @Column('text') stamp!: string;
  @Column('text') validators!: string;
  @Column('blob') keys!: Buffer;
}
