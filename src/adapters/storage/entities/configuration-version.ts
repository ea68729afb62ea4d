import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** A configuration that was put into force; rows never change. The newest one is in force. */
@Entity('configuration_version')
export class ConfigurationVersionRow {
  @PrimaryGeneratedColumn('increment', { type: 'integer' }) id!: number;
  /** Milliseconds since 1970. */
  @Column('bigint') at!: string;
  /** Name of the API key, or `file` if the configuration was changed on disk. */
  @Column('text') who!: string;
  /** SHA-256 of the text and of the files that it names, in hexadecimal. */
  @Column('text') digest!: string;
  /** The text as it was in the file, with its `${NAME}` references. */
  @Column('text') xml!: string;
  /** Contents of the rule files that the text names, by name, as JSON. */
  @Column('text', { default: '{}' }) files!: string;
}
