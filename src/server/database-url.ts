/**
 * Reads the URL of the database in which the server stores its data. A PostgreSQL URL may contain a password, so only
 * its host and database are shown.
 */
import { DATABASES, describeDatabase } from '../domain/database-kind.js';
import { Secret } from '../domain/secret.js';
import { UsageError } from './fail.js';

const SQLITE_PREFIX = DATABASES.sqlite.prefix;
const POSTGRES_PREFIX = DATABASES.postgres.prefix;

/**
 * @param text `sqlite:FILE` or `postgres://…`
 * @throws UsageError for anything else; the message does not repeat the text, which may contain a password anywhere
 */
export function readDatabaseUrl(text: string): Secret {
  if (text.startsWith(SQLITE_PREFIX) && text.length > SQLITE_PREFIX.length) return new Secret(text, text);
  const scheme = /^[a-z][a-z0-9+.-]{0,20}(?=:\/\/)/i.exec(text)?.[0];
  if (!/^postgres(?:ql)?:\/\//.test(text)) {
    throw new UsageError(
      `CRAWLWAY_DATABASE_URL${scheme ? ` (${scheme}://…)` : ''} is neither sqlite:FILE nor postgres://…`,
    );
  }
  const location = describeDatabase(text);
  if (location !== undefined) return new Secret(text, `${POSTGRES_PREFIX}${location}`);
  throw new UsageError(
    'CRAWLWAY_DATABASE_URL is not valid: write postgres://USER:PASSWORD@HOST:PORT/DATABASE, with @ / ? # and % of the password percent-encoded',
  );
}
