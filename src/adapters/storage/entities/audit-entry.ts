import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Who did what through the API or the console. */
@Entity('audit')
export class AuditRow {
  @PrimaryColumn('integer') id!: number;
  /** Milliseconds since 1970. */
  @Column('bigint') at!: string;
  @Column('text') who!: string;
  @Column('text') action!: string;
  @Column('text', { nullable: true }) before!: string | null;
  @Column('text', { nullable: true }) after!: string | null;
}
