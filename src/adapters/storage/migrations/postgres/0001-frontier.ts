import { createMigration } from '../statements.js';

/**
 * The keys of every table about hosts and URLs begin with `part`, the partition of the host (see partition.ts), so that
 * the tables can be distributed over machines by that column. Strings that are compared or sorted use the collation
 * "C": byte order, which is the same as in SQLite and on every machine.
 */
const UP = [
  'CREATE SEQUENCE site_seq AS integer',
  `CREATE TABLE site (
     part smallint NOT NULL, id integer NOT NULL DEFAULT nextval('site_seq'), crawler text COLLATE "C" NOT NULL,
     host text COLLATE "C" NOT NULL, urls integer NOT NULL DEFAULT 0, indexed integer NOT NULL DEFAULT 0,
     errors integer NOT NULL DEFAULT 0, queued integer NOT NULL DEFAULT 0, next_due_at bigint, PRIMARY KEY (part, id))`,
  'CREATE UNIQUE INDEX site_of_host ON site (part, crawler, host)',
  'CREATE INDEX site_by_host ON site (crawler, host)',
  'CREATE INDEX site_next_due ON site (crawler, next_due_at) WHERE next_due_at IS NOT NULL',
  'CREATE SEQUENCE url_seq',
  `CREATE TABLE url (
     id bigint NOT NULL, due_at bigint NOT NULL, key bigint NOT NULL, first_seen_at bigint NOT NULL, last_visit_at bigint,
     last_change_at bigint, simhash bigint, site_id integer NOT NULL, hops integer NOT NULL, redirects integer NOT NULL,
     temporary_errors integer NOT NULL DEFAULT 0, visits integer NOT NULL DEFAULT 0, changes integer NOT NULL DEFAULT 0,
     part smallint NOT NULL, status smallint NOT NULL, source smallint, arrival smallint NOT NULL, last_status smallint,
     permanent_error smallint NOT NULL DEFAULT 0, url text COLLATE "C" NOT NULL, reason text NOT NULL, found_on text,
     root text, inherited_metas text, etag text, last_modified text, stamp text, content_type text, title text,
     pending_deletion text, PRIMARY KEY (part, id))`,
  'CREATE UNIQUE INDEX url_of_site ON url (part, site_id, key)',
  'CREATE INDEX url_queue ON url (part, source, site_id, due_at, id) WHERE source IS NOT NULL',
  'CREATE INDEX url_status ON url (status, part, id)',
  'CREATE INDEX url_pending_deletion ON url (part, id) WHERE pending_deletion IS NOT NULL',
  `CREATE TABLE counter (
     part smallint NOT NULL, crawler text COLLATE "C" NOT NULL, status smallint NOT NULL, source smallint NOT NULL,
     indexed smallint NOT NULL, urls integer NOT NULL, PRIMARY KEY (part, crawler, status, source, indexed))`,
  `CREATE TABLE host (
     part smallint NOT NULL, host text COLLATE "C" NOT NULL, next_request_at bigint NOT NULL,
     back_off_until bigint NOT NULL, back_off_step integer NOT NULL, paused smallint NOT NULL, PRIMARY KEY (part, host))`,
  `CREATE TABLE visit (
     part smallint NOT NULL, url_id bigint NOT NULL, at bigint NOT NULL, status smallint, outcome text NOT NULL,
     detail text, duration integer NOT NULL, bytes bigint NOT NULL, changed smallint NOT NULL,
     PRIMARY KEY (part, url_id, at))`,
  'CREATE SEQUENCE order_block',
  `CREATE TABLE push_order (
     part smallint NOT NULL, id bigint NOT NULL, crawler text COLLATE "C" NOT NULL, uri text NOT NULL,
     uri_key bigint NOT NULL, host text COLLATE "C" NOT NULL, kind smallint NOT NULL, reason text NOT NULL,
     decided_at bigint NOT NULL, state smallint NOT NULL, attempts integer NOT NULL, answered_at bigint, answer text,
     stamp text, PRIMARY KEY (part, id))`,
  'CREATE INDEX push_order_id ON push_order (id)',
  'CREATE INDEX push_order_state ON push_order (state, id)',
  'CREATE INDEX push_order_uri ON push_order (uri_key)',
  'CREATE TABLE setting (name text COLLATE "C" PRIMARY KEY, value text NOT NULL)',
];

const TABLES = ['setting', 'push_order', 'visit', 'host', 'counter', 'url', 'site'];
const SEQUENCES = ['order_block', 'url_seq', 'site_seq'];

export const Frontier0001 = createMigration('Frontier0000000000001', UP, [
  ...TABLES.map((table) => `DROP TABLE ${table}`),
  ...SEQUENCES.map((sequence) => `DROP SEQUENCE ${sequence}`),
]);
