import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * How many of a crawler's URLs have the same status, source (-1 if not queued) and presence of a document. Stored
 * because counting 10 million rows takes seconds.
 */
@Entity('counter', { withoutRowid: true })
export class CounterRow {
  @PrimaryColumn('text') crawler!: string;
  @PrimaryColumn('smallint') status!: number;
  @PrimaryColumn('smallint') source!: number;
  @PrimaryColumn('smallint') indexed!: number;
  @Column('integer') urls!: number;
}
