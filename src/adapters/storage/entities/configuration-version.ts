import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The configuration as it was saved once; never changed afterwards. */
@Entity('configuration_version')
export class ConfigurationVersionRow {
  @PrimaryColumn('integer') id!: number;
  /** Milliseconds since 1970. */
  @Column('bigint') at!: string;
  /** Name of the API key, or of the way it came (`file`, `signal`). */
  @Column('text') who!: string;
  @Column('text') xml!: string;
  @Column('text', { nullable: true }) note!: string | null;
}
