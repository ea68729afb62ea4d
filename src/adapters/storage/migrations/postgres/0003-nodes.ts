import { PARTITIONS } from '../../shared/partition.js';
import { createMigration } from '../statements.js';

/**
 * What several servers on one database need to know: which nodes are alive, which node owns which partition, and the
 * commands for the owners of hosts. A SQLite database has only one server and no such tables, so the migration's number
 * is unused there.
 */
const UP = [
  `CREATE TABLE node (
     id text COLLATE "C" PRIMARY KEY, crawls boolean NOT NULL, watching boolean NOT NULL DEFAULT false,
     expires_at timestamptz NOT NULL)`,
  `CREATE TABLE partition_owner (
     part smallint PRIMARY KEY, epoch bigint NOT NULL DEFAULT 0, node text COLLATE "C",
     abruptly boolean NOT NULL DEFAULT false)`,
  `INSERT INTO partition_owner (part) SELECT generate_series(0, ${PARTITIONS - 1})`,
  'CREATE SEQUENCE errand_seq',
  `CREATE TABLE errand (
     part smallint NOT NULL, id bigint NOT NULL DEFAULT nextval('errand_seq'), host text COLLATE "C" NOT NULL,
     text text NOT NULL, PRIMARY KEY (part, id))`,
  'CREATE INDEX site_part_due ON site (part, crawler, next_due_at) WHERE next_due_at IS NOT NULL',
];

const DOWN = [
  'DROP INDEX site_part_due',
  'DROP TABLE errand',
  'DROP SEQUENCE errand_seq',
  'DROP TABLE partition_owner',
  'DROP TABLE node',
];

export const Nodes0003 = createMigration('Nodes0000000000003', UP, DOWN);
