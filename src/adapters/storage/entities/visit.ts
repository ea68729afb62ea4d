import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One fetch of a URL; the last 20 of each URL are kept. */
@Entity('visit', { withoutRowid: true })
export class VisitRow {
  @PrimaryColumn('integer', { name: 'url_id' }) urlId!: number;
  @PrimaryColumn('bigint') at!: string;
  @Column('smallint', { nullable: true }) status!: number | null;
  @Column('text') outcome!: string;
  @Column('text', { nullable: true }) detail!: string | null;
  @Column('integer') duration!: number;
  @Column('bigint') bytes!: string;
  @Column('smallint') changed!: number;
}
