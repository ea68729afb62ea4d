import { PARTITIONS } from '../shared/partition.js';

/**
 * The first migration of a PostgreSQL database; for what the tables hold, see sqlite-tables.ts. Like every migration, it
 * is never changed after a release.
 *
 * The keys of every table about hosts and URLs begin with `part`, the partition of the host (see partition.ts), so that
 * the tables can be distributed over machines by that column. Strings that are compared or sorted use the collation
 * "C": byte order, which is the same as in SQLite and on every machine.
 */
const FRONTIER_TABLES = [
  'CREATE SEQUENCE site_seq AS integer',
  `CREATE TABLE site (
     part smallint NOT NULL, id integer NOT NULL DEFAULT nextval('site_seq'), crawler text COLLATE "C" NOT NULL,
     host text COLLATE "C" NOT NULL, urls integer NOT NULL DEFAULT 0, indexed integer NOT NULL DEFAULT 0,
     errors integer NOT NULL DEFAULT 0, queued integer NOT NULL DEFAULT 0, next_due_at bigint, PRIMARY KEY (part, id))`,
  'CREATE UNIQUE INDEX site_of_host ON site (part, crawler, host)',
  'CREATE INDEX site_by_host ON site (crawler, host)',
  'CREATE INDEX site_next_due ON site (crawler, next_due_at) WHERE next_due_at IS NOT NULL',
  'CREATE INDEX site_part_due ON site (part, crawler, next_due_at) WHERE next_due_at IS NOT NULL',
  'CREATE SEQUENCE url_seq',
  `CREATE TABLE url (
     id bigint NOT NULL, due_at bigint NOT NULL, key bigint NOT NULL, first_seen_at bigint NOT NULL, last_visit_at bigint,
     last_change_at bigint, change_interval bigint, change_uncertainty double precision, simhash bigint,
     site_id integer NOT NULL, hops integer NOT NULL, redirects integer NOT NULL,
     temporary_errors integer NOT NULL DEFAULT 0, visits integer NOT NULL DEFAULT 0, changes integer NOT NULL DEFAULT 0,
     part smallint NOT NULL, status smallint NOT NULL, source smallint, discovered_via smallint NOT NULL,
     last_status smallint, permanent_error smallint NOT NULL DEFAULT 0, url text COLLATE "C" NOT NULL, reason text NOT NULL,
     found_on text, root text, inherited_metas text, etag text, last_modified text, stamp text, content_type text,
     title text, pending_deletion text, canonical text, parts text, PRIMARY KEY (part, id))`,
  'CREATE UNIQUE INDEX url_of_site ON url (part, site_id, key)',
  'CREATE INDEX url_queue ON url (part, source, site_id, due_at, id) WHERE source IS NOT NULL',
  'CREATE INDEX url_status ON url (status, part, id)',
  'CREATE INDEX url_pending_deletion ON url (part, id) WHERE pending_deletion IS NOT NULL',
  'CREATE INDEX url_error ON url (reason, part, site_id, last_visit_at) WHERE status = 4',
  'CREATE INDEX url_canonical ON url (canonical) WHERE canonical IS NOT NULL',
  'CREATE INDEX url_removed ON url (key, part, site_id, reason, last_visit_at) WHERE status = 8',
  `CREATE TABLE counter (
     part smallint NOT NULL, crawler text COLLATE "C" NOT NULL, status smallint NOT NULL, source smallint NOT NULL,
     indexed smallint NOT NULL, urls integer NOT NULL, PRIMARY KEY (part, crawler, status, source, indexed))`,
  `CREATE TABLE host (
     part smallint NOT NULL, host text COLLATE "C" NOT NULL, next_request_at bigint NOT NULL,
     back_off_until bigint NOT NULL, back_off_step integer NOT NULL, paused smallint NOT NULL,
     visit_price bigint NOT NULL, PRIMARY KEY (part, host))`,
  `CREATE TABLE visit (
     part smallint NOT NULL, url_id bigint NOT NULL, at bigint NOT NULL, status smallint, outcome text NOT NULL,
     detail text, duration integer NOT NULL, bytes bigint NOT NULL, changed smallint NOT NULL,
     PRIMARY KEY (part, url_id, at))`,
  `CREATE TABLE page_links (
     part smallint NOT NULL, url_id bigint NOT NULL, at bigint NOT NULL, stamp text NOT NULL, validators text NOT NULL,
     keys bytea NOT NULL, PRIMARY KEY (part, url_id))`,
  'CREATE SEQUENCE order_block',
  `CREATE TABLE push_order (
     part smallint NOT NULL, id bigint NOT NULL, crawler text COLLATE "C" NOT NULL, uri text NOT NULL,
     uri_key bigint NOT NULL, host text COLLATE "C" NOT NULL, kind smallint NOT NULL, reason text NOT NULL,
     decided_at bigint NOT NULL, state smallint NOT NULL, attempts integer NOT NULL, answered_at bigint, answer text,
     stamp text, PRIMARY KEY (part, id))`,
  'CREATE INDEX push_order_id ON push_order (id)',
  'CREATE INDEX push_order_state ON push_order (state, id)',
  'CREATE INDEX push_order_uri ON push_order (uri_key)',
  `CREATE TABLE owed_order (
     part smallint NOT NULL, crawler text COLLATE "C" NOT NULL, sink text COLLATE "C" NOT NULL,
     host text COLLATE "C" NOT NULL, uri_key bigint NOT NULL, uri text NOT NULL, order_id bigint NOT NULL,
     since bigint NOT NULL, asked_at bigint, PRIMARY KEY (part, crawler, sink, host, uri_key))`,
  'CREATE INDEX owed_order_next ON owed_order (crawler, sink, order_id)',
  'CREATE INDEX owed_order_since ON owed_order (part, crawler, sink, since)',
  `CREATE TABLE owed_count (
     part smallint NOT NULL, crawler text COLLATE "C" NOT NULL, sink text COLLATE "C" NOT NULL, documents bigint NOT NULL,
     PRIMARY KEY (part, crawler, sink))`,
  'CREATE TABLE setting (name text COLLATE "C" PRIMARY KEY, value text NOT NULL)',
  `INSERT INTO setting VALUES ('connector', 'crawlway-' || substr(md5(gen_random_uuid()::text), 1, 6))`,
];

const ADMINISTRATION_TABLES = [
  `CREATE TABLE configuration_version (
     id integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, at bigint NOT NULL, who text NOT NULL, digest text NOT NULL,
     xml text NOT NULL, files text NOT NULL)`,
  `CREATE TABLE audit (
     id integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, at bigint NOT NULL, who text NOT NULL, what text NOT NULL,
     target text NOT NULL, outcome text NOT NULL, before text NOT NULL, after text NOT NULL)`,
];

/**
 * What several servers on one database need to know: which nodes are alive, which node owns which partition, and the
 * commands for the owners of hosts. A SQLite database has only one server and no such tables.
 */
const NODE_TABLES = [
  `CREATE TABLE node (
     id text COLLATE "C" PRIMARY KEY, crawls boolean NOT NULL, watching boolean NOT NULL DEFAULT false,
     expires_at timestamptz NOT NULL)`,
  `CREATE TABLE partition_owner (
     part smallint PRIMARY KEY, epoch bigint NOT NULL DEFAULT 0, node text COLLATE "C",
     abruptly boolean NOT NULL DEFAULT false)`,
  `INSERT INTO partition_owner (part) SELECT generate_series(0, ${PARTITIONS - 1})`,
  'CREATE SEQUENCE owner_command_seq',
  `CREATE TABLE owner_command (
     part smallint NOT NULL, id bigint NOT NULL DEFAULT nextval('owner_command_seq'), host text COLLATE "C" NOT NULL,
     text text NOT NULL, delivers boolean NOT NULL DEFAULT false, tries smallint NOT NULL DEFAULT 0,
     retry_at timestamptz, set_aside_at timestamptz, failure text, PRIMARY KEY (part, id))`,
];

export const POSTGRES_TABLES = [...FRONTIER_TABLES, ...ADMINISTRATION_TABLES, ...NODE_TABLES];
