import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * The link targets of a page when it was last read in full. Stored only while a crawler has URLs whose status is
 * removed.
 */
@Entity('page_links')
export class PageLinksRow {
  @PrimaryColumn('integer', { name: 'url_id' }) urlId!: number;
  @Column('bigint') at!: string;
  @Column('text') stamp!: string;
  @Column('text') validators!: string;
  @Column('blob') keys!: Buffer;
}
