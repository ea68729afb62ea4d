/** The first migration of a SQLite database. Like every migration, it is never changed after a release. */
export const SQLITE_TABLES = [
  `CREATE TABLE site (
     id integer PRIMARY KEY NOT NULL, crawler text NOT NULL, host text NOT NULL,
     urls integer NOT NULL DEFAULT (0), indexed integer NOT NULL DEFAULT (0), errors integer NOT NULL DEFAULT (0),
     queued integer NOT NULL DEFAULT (0), next_due_at bigint)`,
  'CREATE UNIQUE INDEX site_of_host ON site (crawler, host)',
  'CREATE INDEX site_next_due ON site (crawler, next_due_at) WHERE next_due_at IS NOT NULL',
  `CREATE TABLE url (
     id integer PRIMARY KEY NOT NULL, site_id integer NOT NULL, key bigint NOT NULL, url text NOT NULL,
     status smallint NOT NULL, reason text NOT NULL, source smallint, due_at bigint NOT NULL,
     hops integer NOT NULL, redirects integer NOT NULL, discovered_via smallint NOT NULL, found_on text, root text,
     inherited_metas text, first_seen_at bigint NOT NULL, last_visit_at bigint, last_status smallint,
     temporary_errors integer NOT NULL DEFAULT (0), permanent_error smallint NOT NULL DEFAULT (0),
     visits integer NOT NULL DEFAULT (0), changes integer NOT NULL DEFAULT (0), last_change_at bigint,
     change_interval bigint, change_uncertainty double precision, etag text, last_modified text, stamp text,
     simhash bigint, content_type text, title text, pending_deletion text, canonical text, parts text)`,
  'CREATE UNIQUE INDEX url_of_site ON url (site_id, key)',
  'CREATE INDEX url_queue ON url (site_id, source, due_at) WHERE source IS NOT NULL',
  'CREATE INDEX url_status ON url (status)',
  'CREATE INDEX url_pending_deletion ON url (id) WHERE pending_deletion IS NOT NULL',
  // URLs in error (status 4) by reason and host, with the time of the failure.
  'CREATE INDEX url_error ON url (reason, site_id, last_visit_at) WHERE status = 4',
  'CREATE INDEX url_canonical ON url (canonical) WHERE canonical IS NOT NULL',
  // URLs that were removed after errors (status 8), whose documents may be restored.
  'CREATE INDEX url_removed ON url (key, site_id, reason, last_visit_at) WHERE status = 8',
  // How many of a crawler's URLs have the same status, source (-1 if not queued) and presence of a document, because
  // counting 10 million rows takes seconds.
  `CREATE TABLE counter (
     crawler text NOT NULL, status smallint NOT NULL, source smallint NOT NULL, indexed smallint NOT NULL,
     urls integer NOT NULL, PRIMARY KEY (crawler, status, source, indexed)) WITHOUT ROWID`,
  `CREATE TABLE host (
     host text PRIMARY KEY NOT NULL, next_request_at bigint NOT NULL, back_off_until bigint NOT NULL,
     back_off_step integer NOT NULL, paused smallint NOT NULL, visit_price bigint NOT NULL) WITHOUT ROWID`,
  `CREATE TABLE visit (
     url_id integer NOT NULL, at bigint NOT NULL, status smallint, outcome text NOT NULL, detail text,
     duration integer NOT NULL, bytes bigint NOT NULL, changed smallint NOT NULL, PRIMARY KEY (url_id, at)) WITHOUT ROWID`,
  // The link targets of a page when it was last read in full, stored only while a crawler has removed URLs.
  `CREATE TABLE page_links (
     url_id integer PRIMARY KEY NOT NULL, at bigint NOT NULL, stamp text NOT NULL, validators text NOT NULL,
     keys blob NOT NULL)`,
  `CREATE TABLE push_order (
     id integer PRIMARY KEY NOT NULL, crawler text NOT NULL, uri text NOT NULL, uri_key bigint NOT NULL, host text NOT NULL,
     kind smallint NOT NULL, reason text NOT NULL, decided_at bigint NOT NULL, state smallint NOT NULL,
     attempts integer NOT NULL, answered_at bigint, answer text, stamp text)`,
  'CREATE INDEX push_order_state ON push_order (state, id)',
  'CREATE INDEX push_order_uri ON push_order (uri_key)',
  // URIs whose newest order a sink has not received, because it was put off while the sink was slow or down.
  `CREATE TABLE owed_order (
     crawler text NOT NULL, sink text NOT NULL, host text NOT NULL, uri_key bigint NOT NULL,
     uri text NOT NULL, order_id bigint NOT NULL, since bigint NOT NULL, asked_at bigint,
     PRIMARY KEY (crawler, sink, host, uri_key)) WITHOUT ROWID`,
  'CREATE INDEX owed_order_next ON owed_order (crawler, sink, order_id)',
  'CREATE INDEX owed_order_since ON owed_order (crawler, sink, since)',
  // Counting a million rows takes a sixth of a second.
  `CREATE TABLE owed_count (
     crawler text NOT NULL, sink text NOT NULL, documents integer NOT NULL, PRIMARY KEY (crawler, sink)) WITHOUT ROWID`,
  'CREATE TABLE setting (name text PRIMARY KEY NOT NULL, value text NOT NULL) WITHOUT ROWID',
  // The connector name is specific to the database: two servers that push to one index without naming a connector must
  // not share their documents. A migration runs only once, however many servers open the database at the same time.
  `INSERT INTO setting VALUES ('connector', 'crawlway-' || lower(hex(randomblob(3))))`,
  `CREATE TABLE configuration_version (
     "id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, at bigint NOT NULL, who text NOT NULL, digest text NOT NULL,
     xml text NOT NULL, files text NOT NULL)`,
  `CREATE TABLE audit (
     "id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, at bigint NOT NULL, who text NOT NULL, what text NOT NULL,
     target text NOT NULL, outcome text NOT NULL, "before" text NOT NULL, "after" text NOT NULL)`,
];
