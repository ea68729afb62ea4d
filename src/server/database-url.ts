/**
 * Where the server stores its data. The URL of a PostgreSQL database may contain a password, so only its host and
 * database are shown.
 */
import { DATABASES } from '../domain/database-kind.js';
import { describeDatabase } from '../domain/database-place.js';
import { Secret } from '../domain/secret.js';
import { UsageError } from './usage-error.js';

const SQLITE = DATABASES.sqlite.prefix;
const POSTGRES = DATABASES.postgres.prefix;

/**
 * @param text `sqlite:FILE` or `postgres://…`
 * @throws UsageError for anything else; the message does not repeat the text, because a password in it cannot be
 * located
 */
export function readDatabaseUrl(text: string): Secret {
  if (text.startsWith(SQLITE) && text.length > SQLITE.length) return new Secret(text, text);
  const scheme = /^[a-z][a-z0-9+.-]{0,20}(?=:\/\/)/i.exec(text)?.[0];
  if (!/^postgres(?:ql)?:\/\//.test(text)) {
    throw new UsageError(
      `CRAWLWAY_DATABASE_URL${scheme ? ` with ${scheme}:` : ''} is neither sqlite:FILE nor postgres://…`,
    );
  }
  const place = describeDatabase(text);
  if (place !== undefined) return new Secret(text, `${POSTGRES}${place}`);
  throw new UsageError(
    'CRAWLWAY_DATABASE_URL is not valid: write postgres://USER:PASSWORD@HOST:PORT/DATABASE, with @ / ? # and % of the password percent-encoded',
  );
}
