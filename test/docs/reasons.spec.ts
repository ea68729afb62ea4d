import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES, type ErrorCode, getDefaultReactions } from '../../src/domain/fetch/error-codes.js';
import { LINT_CODES } from '../../src/domain/policy/lint/codes.js';
import { REASONS } from '../../src/domain/policy/reasons.js';

const ROOT = join(import.meta.dirname, '../..');

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

const HOST = {
  none: '',
  'backs-off': 'rests',
  'after-a-run': 'rests after several in a row',
  'if-indexed': 'rests, if the page is indexed',
} as const;
const BLAME = { page: 'at once', host: 'waits for a sign of life', crawler: 'never follows' } as const;

/** docs/reasons.md as the registries say it; written again by `npx vitest run test/docs/reasons.spec.ts -u`. */
function page(): string {
  const reasons = Object.entries(REASONS).map(([code, { layer, meaning, remedy }]) => [
    `\`${code}\``,
    layer,
    meaning,
    remedy,
  ]);
  const errors = Object.entries(ERROR_CODES).map(([code, entry]) => [
    `\`${code}\``,
    entry.class,
    HOST[getDefaultReactions(code as ErrorCode).host ?? 'none'],
    BLAME[entry.blame],
    entry.meaning,
    entry.remedy,
  ]);
  return `# Reasons and errors

Every code that a verdict, a URL, a visit or an order can carry; \`GET /api/v1/reasons\` answers the same. If a reason points at a place,
that is the file, line and column of the configuration that decided.

## Reasons: what became of a URL

${table(['code', 'from', 'meaning', 'what to change'], reasons)}

## Errors: why a visit failed

The class is the default; \`cw:ErrorPolicy\` can move a code to the other one. Permanent: a deletion at once, if a document is indexed. Temporary: tried again,
and given up after more in a row than \`maxTemporaryErrors\`. A host that rests gets no requests for a while, longer each time. *Sign of life*: docs/glossary.md.

${table(['code', 'class', 'the host', 'a deletion that follows', 'meaning', 'what to do'], errors)}
`;
}

describe('the registry of reasons', () => {
  it('matches docs/reasons.md', async () => {
    await expect(page()).toMatchFileSnapshot(join(ROOT, 'docs/reasons.md'));
  });

  it('names settings that exist in the configuration', () => {
    const reference = readFileSync(join(ROOT, 'docs/reference.md'), 'utf8');
    const named = Object.values({ ...REASONS, ...ERROR_CODES }).flatMap(
      ({ meaning, remedy }) => `${meaning} ${remedy}`.match(/\b[a-z]+[A-Z]\w+\b/g) ?? [],
    );
    expect(named.filter((name) => !new RegExp(`\\b${name}\\b`).test(reference))).toEqual([]);
  });

  it('matches the list of openapi.yaml', () => {
    const description = readFileSync(join(ROOT, 'openapi.yaml'), 'utf8');
    const missing = Object.keys({ ...REASONS, ...ERROR_CODES }).filter((code) => !description.includes(`- ${code}\n`));
    expect(missing, 'npm run openapi writes it anew').toEqual([]);
  });

  it('shares no code with the error codes, and every entry says what to do', () => {
    for (const [code, entry] of Object.entries(REASONS)) {
      expect(code in ERROR_CODES).toBe(false);
      expect(entry.meaning.length).toBeGreaterThan(10);
      expect(entry.remedy.length).toBeGreaterThan(5);
    }
    expect(Object.keys(LINT_CODES).length).toBeGreaterThan(0);
  });
});

describe('the documents', () => {
  const pages = [
    'README.md',
    'CONTRIBUTING.md',
    ...readdirSync(join(ROOT, 'docs'))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name}`),
  ];

  it.each(pages)('%s links only to files that exist', (name) => {
    const text = readFileSync(join(ROOT, name), 'utf8');
    const folder = join(ROOT, name, '..');
    for (const [, target] of text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)[^)]*\)/g)) {
      expect(() => readdirOrRead(join(folder, target!)), `${name} → ${target}`).not.toThrow();
    }
  });
});

function readdirOrRead(path: string): void {
  if (path.endsWith('/')) readdirSync(path);
  else readFileSync(path);
}
