/** What Nutch takes in depends on its plug-ins, and on the rounds in which somebody starts it. */
import { expect, it } from 'vitest';
import { accepts, file, importAndLoad, linesOf, SITE, verdicts } from '../../test/support/imported.js';

const seeds = file('seed.txt', `${SITE}/\n`);
const regexes = file('regex-urlfilter.txt', '-/private/\n+.\n');
const site = (...properties: [name: string, value: string][]) =>
  file(
    'nutch-site.xml',
    `<configuration>${properties.map(([name, value]) => `<property><name>${name}</name><value>${value}</value></property>`).join('')}</configuration>`,
  );

it('a filter that plugin.includes names, without its file, is missing loudly', () => {
  const plugins = site(
    ['plugin.includes', 'protocol-http|urlfilter-(regex|domain|suffix)'],
    ['urlfilter.domain.file', 'our-domains.txt'],
  );
  const { report } = importAndLoad('nutch', plugins, seeds, regexes);
  expect(report.lines.filter(({ note }) => note.includes('MISSING'))).toMatchObject([
    { kind: 'not taken', setting: 'urlfilter-suffix', note: expect.stringContaining('suffix-urlfilter.txt') },
    { kind: 'not taken', setting: 'urlfilter-domain', note: expect.stringContaining('our-domains.txt') },
  ]);
});

it.each([
  ['regex-urlfilter.txt', '# nothing\n#+.\n'],
  ['automaton-urlfilter.txt', '+.*&~(x)\n'],
])('a %s without a rule that can be taken rejects everything, as there', (name, text) => {
  verdicts(accepts('nutch', seeds, file(name, text)), { '/a': false, 'https://elsewhere.test/': false });
});

it('a depth counts only with the plug-in that reads it', () => {
  const depth: [string, string] = ['scoring.depth.max', '3'];
  const { xml, report } = importAndLoad('nutch', site(depth), seeds, regexes);
  expect(xml).not.toContain('max-hops');
  expect(linesOf(report, 'not taken')).toEqual(['nutch-site.xml:1 scoring.depth.max']);
  const plugins: [string, string] = ['plugin.includes', 'urlfilter-regex|scoring-(opic|depth)'];
  expect(importAndLoad('nutch', site(depth, plugins), seeds, regexes).xml).toContain('name="max-hops" value="2"');
});

it.each(['0', '30'])(
  'an interval of %s seconds, which means each round there, is no order to visit all the time',
  (value) => {
    const { xml, report } = importAndLoad('nutch', site(['db.fetch.interval.default', value]), seeds, regexes);
    expect(xml).not.toContain('smartRefreshMaxAgeS');
    expect(linesOf(report, 'taken differently')).toContain(`nutch-site.xml:1 db.fetch.interval.default = ${value}`);
  },
);

it('the pause is that of Nutch unless a setting says otherwise', () => {
  expect(importAndLoad('nutch', seeds, regexes).xml).toContain('throttleTimeMS="5000"');
  expect(importAndLoad('nutch', site(['fetcher.server.delay', '1.5']), seeds, regexes).xml).toContain('="1500"');
});

it('empty and unknown files of the folder conf with another purpose refuse no import', () => {
  const others = [file('naivebayes-wordlist.txt', ''), file('agents.txt', 'Mozilla/5.0 one\nMozilla/5.0 two\n')];
  const { report } = importAndLoad('nutch', ...others, regexes, seeds);
  expect(linesOf(report, 'not taken')).toEqual(others.map(({ name }) => `${name}:1 ${name}`));
});

it('of several modes in a list of suffixes, the last one counts', () => {
  const suffixes = file('suffix-urlfilter.txt', '-\n+\n.gif\n');
  verdicts(accepts('nutch', seeds, suffixes), { '/a.gif': false, '/a': true });
});
