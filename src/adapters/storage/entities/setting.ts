import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A small named value that survives a restart. */
@Entity('setting', { withoutRowid: true })
export class SettingRow {
  @PrimaryColumn('text') name!: string;
  @Column('text') value!: string;
}
