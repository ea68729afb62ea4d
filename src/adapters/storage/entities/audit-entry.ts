import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** A record of who did what through the API or the console. */
@Entity('audit')
export class AuditRow {
  @PrimaryGeneratedColumn('increment', { type: 'integer' }) id!: number;
  /** Milliseconds since 1970. */
  @Column('bigint') at!: string;
  @Column('text') who!: string;
  @Column('text') what!: string;
  @Column('text') target!: string;
  @Column('text') outcome!: string;
  /** JSON, or empty. */
  @Column('text') before!: string;
  @Column('text') after!: string;
}
