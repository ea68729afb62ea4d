import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How many of a crawler's orders a sink is owed. Stored because counting a million rows takes a sixth of a second. */
@Entity('owed_count', { withoutRowid: true })
export class OwedCountRow {
  @PrimaryColumn('text') crawler!: string;
  @PrimaryColumn('text') sink!: string;
  @Column('integer') documents!: number;
}
