import { createMigration } from '../statements.js';

const UP = [
  `CREATE TABLE site (
     id integer PRIMARY KEY NOT NULL, crawler text NOT NULL, host text NOT NULL,
     urls integer NOT NULL DEFAULT (0), indexed integer NOT NULL DEFAULT (0), errors integer NOT NULL DEFAULT (0),
     queued integer NOT NULL DEFAULT (0), next_due_at bigint)`,
  'CREATE UNIQUE INDEX site_of_host ON site (crawler, host)',
  'CREATE INDEX site_next_due ON site (crawler, next_due_at) WHERE next_due_at IS NOT NULL',
  `CREATE TABLE url (
     id integer PRIMARY KEY NOT NULL, site_id integer NOT NULL, key bigint NOT NULL, url text NOT NULL,
     status smallint NOT NULL, reason text NOT NULL, source smallint, due_at bigint NOT NULL,
     hops integer NOT NULL, redirects integer NOT NULL, arrival smallint NOT NULL, found_on text, root text,
     inherited_metas text, first_seen_at bigint NOT NULL, last_visit_at bigint, last_status smallint,
     temporary_errors integer NOT NULL DEFAULT (0), permanent_error smallint NOT NULL DEFAULT (0),
     visits integer NOT NULL DEFAULT (0), changes integer NOT NULL DEFAULT (0), last_change_at bigint,
     etag text, last_modified text, stamp text, simhash bigint, content_type text, title text, pending_deletion text)`,
  'CREATE UNIQUE INDEX url_of_site ON url (site_id, key)',
  'CREATE INDEX url_queue ON url (site_id, source, due_at) WHERE source IS NOT NULL',
  'CREATE INDEX url_status ON url (status)',
  'CREATE INDEX url_pending_deletion ON url (id) WHERE pending_deletion IS NOT NULL',
  `CREATE TABLE counter (
     crawler text NOT NULL, status smallint NOT NULL, source smallint NOT NULL, indexed smallint NOT NULL,
     urls integer NOT NULL, PRIMARY KEY (crawler, status, source, indexed)) WITHOUT ROWID`,
  `CREATE TABLE host (
     host text PRIMARY KEY NOT NULL, next_request_at bigint NOT NULL, back_off_until bigint NOT NULL,
     back_off_step integer NOT NULL, paused smallint NOT NULL) WITHOUT ROWID`,
  `CREATE TABLE visit (
     url_id integer NOT NULL, at bigint NOT NULL, status smallint, outcome text NOT NULL, detail text,
     duration integer NOT NULL, bytes bigint NOT NULL, changed smallint NOT NULL, PRIMARY KEY (url_id, at)) WITHOUT ROWID`,
  `CREATE TABLE push_order (
     id integer PRIMARY KEY NOT NULL, crawler text NOT NULL, uri text NOT NULL, uri_key bigint NOT NULL, host text NOT NULL,
     kind smallint NOT NULL, reason text NOT NULL, decided_at bigint NOT NULL, state smallint NOT NULL,
     attempts integer NOT NULL, answered_at bigint, answer text, stamp text)`,
  'CREATE INDEX push_order_state ON push_order (state, id)',
  'CREATE INDEX push_order_uri ON push_order (uri_key)',
  'CREATE TABLE setting (name text PRIMARY KEY NOT NULL, value text NOT NULL) WITHOUT ROWID',
];

const TABLES = ['setting', 'push_order', 'visit', 'host', 'counter', 'url', 'site'];

export const Frontier0001 = createMigration('Frontier0000000000001', UP, [
  ...TABLES.map((table) => `DROP TABLE ${table}`),
]);
