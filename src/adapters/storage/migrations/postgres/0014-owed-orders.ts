import { createMigration } from '../statements.js';

/** URIs whose newest order a sink has not received, because it was put off while the sink was slow or down. */
const UP = [
  `CREATE TABLE owed_order (
     part smallint NOT NULL, crawler text COLLATE "C" NOT NULL, sink text COLLATE "C" NOT NULL, host text COLLATE "C" NOT NULL, uri_key bigint NOT NULL,
     uri text NOT NULL, order_id bigint NOT NULL, since bigint NOT NULL, asked_at bigint,
     PRIMARY KEY (part, crawler, sink, host, uri_key))`,
  'CREATE INDEX owed_order_next ON owed_order (crawler, sink, order_id)',
];

export const OwedOrders0014 = createMigration('OwedOrders0000000000014', UP, ['DROP TABLE owed_order']);
