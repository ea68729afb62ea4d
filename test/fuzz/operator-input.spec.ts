/** What operators and callers write. FUZZ_RUNS=1000000 npx vitest run test/fuzz/operator-input.spec.ts --testTimeout 3600000 runs for an hour. */
import Database from 'better-sqlite3';
import fc from 'fast-check';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { findSecretsOfRulesInSteps, replaceLiteralSecrets } from '../../src/adapters/config-xml/literal-secrets.js';
import { buildUrlWhere, GLOB, LIKE } from '../../src/adapters/storage/shared/filter-sql.js';
import { redact } from '../../src/domain/redact.js';
import { runAtOnce } from '../../src/domain/steps.js';
import { toLikePattern } from '../../src/domain/url/like-pattern.js';
import { anyText } from '../support/any-text.js';
import { parseIndexerConf } from '../support/indexer-conf.js';
import { onPostgres, postgresDatabase } from '../support/postgres.js';

const numRuns = Number(process.env['FUZZ_RUNS'] ?? 1_000);

const SECRET = 'PlAnTeD';
const pieces = (...known: string[]) => fc.array(fc.oneof(fc.constantFrom(...known), anyText(4)), { maxLength: 30 });

const RULE_PIECES = [
  'Server',
  'Alias',
  'AuthBasic',
  'Period',
  'Tag',
  ' ',
  '\n',
  '\r\n',
  '\\\n',
  '"',
  "'",
  '#',
  '1d',
  'yes',
  'http://a/',
  '@',
  ':',
  '\uFEFF',
];

const hideSecrets = (text: string): string =>
  replaceLiteralSecrets(new Map([['f', text]]), runAtOnce(findSecretsOfRulesInSteps(text, 'f'))).texts.get(
    'f',
  ) as string;

it('any rule file is read, with problems at places that exist in it', () => {
  fc.assert(
    fc.property(pieces(...RULE_PIECES), (parts) => {
      const text = parts.join('');
      const lines = text.split(/\r\n|\n|\r/).length;
      for (const { place, message } of parseIndexerConf(text, 'indexer.conf').problems) {
        expect(place.line).toBeLessThanOrEqual(lines);
        expect(place.column).toBeGreaterThan(0);
        expect(message).not.toBe('');
      }
      expect(hideSecrets(hideSecrets(text))).toBe(hideSecrets(text));
    }),
    { numRuns },
  );
});

it('a login in a rule file is never shown, whatever surrounds it', () => {
  const login = fc.constantFrom(
    `AuthBasic user:${SECRET}`,
    `# AuthBasic user:${SECRET}`,
    `Server http://user:${SECRET}@a/`,
    `Alias http://a/ http://${SECRET}@b/`,
  );
  fc.assert(
    fc.property(pieces(...RULE_PIECES), login, pieces(...RULE_PIECES), (before, line, after) => {
      const text = `${before.join('')}\n${line}\n${after.join('')}`;
      expect(hideSecrets(text)).not.toContain(SECRET);
      for (const { message } of parseIndexerConf(text, 'f').problems) expect(redact(message)).not.toContain(SECRET);
    }),
    { numRuns },
  );
});

it('the password of a URL is hidden as a URL parser finds it', () => {
  const part = pieces(':', '@', '%40', '&', '=', '[', ']', ';', ',', '!', "'", '//', '?', '#').map((parts) =>
    parts.join(''),
  );
  fc.assert(
    fc.property(part, part, part, (user, rest, around) => {
      const url = `http://${user}:${SECRET}${rest}@host.example/`;
      const parsed = URL.parse(url);
      if (!parsed || !`${parsed.username}:${parsed.password}`.includes(SECRET) || /[\s"<>`]/.test(url)) return;
      expect(redact(`${url} ${around}`).split(' ')[0]).not.toContain(SECRET);
    }),
    { numRuns },
  );
});

/** SQL LIKE as the standard has it, with the backslash as escape. */
function likes(pattern: string, text: string): boolean {
  const source = pattern.replace(/\\([\s\S])|([\s\S])/gu, (_, escaped?: string, plain?: string) => {
    if (plain === '%') return '[\\s\\S]*';
    if (plain === '_') return '[\\s\\S]';
    return (escaped ?? plain ?? '').replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  });
  return new RegExp(`^${source}$`, 'u').test(text);
}

const letters = fc.array(
  fc.constantFrom('a', 'b', '%', '_', '*', '?', '[', ']', '^', '-', '\\\\', '\\%', '\\_', 'é', '😀'),
  { maxLength: 8 },
);
const texts = fc.array(fc.constantFrom('a', 'b', '%', '_', '*', '?', '[', ']', '^', '-', '\\', 'é', '😀'), {
  maxLength: 8,
});

it('a LIKE pattern matches in SQLite what it means', () => {
  const db = new Database(':memory:');
  const statements = new Map<string, Database.Statement>();
  fc.assert(
    fc.property(letters, texts, (pattern, text) => {
      const { sql, values } = buildUrlWhere({ like: pattern.join('') }, GLOB);
      const matches =
        statements.get(sql) ?? db.prepare(`SELECT count(*) FROM (SELECT ? AS url) u WHERE ${sql}`).pluck();
      statements.set(sql, matches);
      expect(matches.get(text.join(''), ...values)).toBe(likes(pattern.join(''), text.join('')) ? 1 : 0);
    }),
    { numRuns },
  );
  db.close();
});

it.each(onPostgres('PostgreSQL'))(
  'a LIKE pattern matches in %s what it means, and none that the API accepts is an error',
  async () => {
    const client = new pg.Client(await postgresDatabase());
    await client.connect();
    onTestFinished(() => client.end());
    const joined = (parts: readonly string[]): string => parts.join('');
    const anything = anyText(12).map((text) => text.toWellFormed());
    const pattern = fc.oneof(
      letters.map(joined),
      letters.map((parts) => `${joined(parts)}\\`),
      anything.map(toLikePattern),
    );
    await fc.assert(
      fc.asyncProperty(pattern, texts.map(joined), async (like, text) => {
        const { sql, values } = buildUrlWhere({ like }, LIKE);
        let asked = 1;
        const statement = sql.replace(/\?/g, () => `$${++asked}`);
        const query = `SELECT count(*)::int AS count FROM (SELECT $1::text AS url) u WHERE ${statement}`;
        const { rows } = await client.query(query, [text, ...values]);
        expect(rows[0].count).toBe(likes(like, text) ? 1 : 0);
      }),
      { numRuns: Math.min(numRuns, 300) },
    );
  },
);
