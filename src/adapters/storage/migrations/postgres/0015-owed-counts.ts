import { createMigration } from '../statements.js';

/**
 * How many of a crawler's orders a sink is owed, stored because counting a million rows takes a long time; and an index
 * for finding the oldest of them.
 */
const UP = [
  `CREATE TABLE owed_count (
     part smallint NOT NULL, crawler text COLLATE "C" NOT NULL, sink text COLLATE "C" NOT NULL, documents bigint NOT NULL,
     PRIMARY KEY (part, crawler, sink))`,
  'INSERT INTO owed_count SELECT part, crawler, sink, count(*) FROM owed_order GROUP BY part, crawler, sink',
  'CREATE INDEX owed_order_since ON owed_order (part, crawler, sink, since)',
];

const DOWN = ['DROP INDEX owed_order_since', 'DROP TABLE owed_count'];

export const OwedCounts0015 = createMigration('OwedCounts0000000000015', UP, DOWN);
