import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** A configuration as it once came into force; never changed afterwards. The newest is the one in force. */
@Entity('configuration_version')
export class ConfigurationVersionRow {
  @PrimaryGeneratedColumn('increment', { type: 'integer' }) id!: number;
  /** Milliseconds since 1970. */
  @Column('bigint') at!: string;
  /** Name of the API key, `file` when it was found changed on disk. */
  @Column('text') who!: string;
  /** SHA-256 of the text and of the files that it names, hex. */
  @Column('text') digest!: string;
  /** As it was in the file, with its `${NAME}` references. */
  @Column('text') xml!: string;
  /** Texts of the rule files that it names, by name; JSON. */
  @Column('text', { default: '{}' }) files!: string;
}
