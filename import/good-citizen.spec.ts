/** What an import writes loads as it is, draws next to no warnings, and says who it is. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { file, importAndLoad, SITE } from '../test/support/imported.js';

const CONFIGURATIONS = join(import.meta.dirname, '../test/moving-in/configurations');

it.each(readdirSync(CONFIGURATIONS))('%s', (name) => {
  const folder = join(CONFIGURATIONS, name);
  const files = readdirSync(folder).map((one) =>
    file(one, readFileSync(join(folder, one), 'utf8').replaceAll('SITE', SITE)),
  );
  const { definition, problems, xml } = importAndLoad(name.replace(/-\d$/, ''), ...files);
  // An unescaped dot of the original stays one, and is told.
  expect(problems.map(({ code, message }) => `${code}: ${message}`).slice(2)).toEqual([]);
  expect(definition.crawlers.every(({ roots }) => roots.length > 0)).toBe(true);
  expect(xml).not.toContain('userAgent=""');
});

it('a long list of unescaped expressions draws a handful of warnings', () => {
  const rules = Array.from({ length: 50 }, (_, index) => `+^https?://([a-z0-9]*\\.)*site${index}.example/`);
  const files = [file('seed.txt', `${SITE}/\n`), file('regex-urlfilter.txt', `${rules.join('\n')}\n+.\n`)];
  expect(importAndLoad('nutch', ...files).problems.length).toBeLessThan(6);
});

it('that everything else is rejected, as the last rule of Nutch says, draws none', () => {
  const rules = file(
    'regex-urlfilter.txt',
    `-\\.exe$\n+^${SITE}/\n-.\n`.replaceAll('www.example.', 'www\\.example\\.'),
  );
  const { definition, problems } = importAndLoad('nutch', file('seed.txt', `${SITE}/\n`), rules);
  expect(problems.map(({ message }) => message)).toEqual([]);
  expect(definition.crawlers[0]).toMatchObject({ defaultAccept: false, rules: [{}, {}] });
});
