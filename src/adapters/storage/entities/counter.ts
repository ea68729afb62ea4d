import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How many URLs of a crawler share status, source (-1: not queued) and having a document: counting 10 M rows takes seconds. */
@Entity('counter', { withoutRowid: true })
export class CounterRow {
  @PrimaryColumn('text') crawler!: string;
  @PrimaryColumn('smallint') status!: number;
  @PrimaryColumn('smallint') source!: number;
  @PrimaryColumn('smallint') indexed!: number;
  @Column('integer') urls!: number;
}
