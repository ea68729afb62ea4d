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

it('without additions, the links of the seeds are not followed', () => {
  const [crawler] = importAndLoad('nutch', site(['db.update.additions.allowed', 'false']), seeds, regexes).definition
    .crawlers;
  expect(crawler).toMatchObject({ defaultFollow: false, defaultFollowRoots: false });
});

it('a variable stands for another property, and is reported if there is none', () => {
  const variable = (name: string): string => `\${${name}}`;
  const { xml, report } = importAndLoad(
    'nutch',
    site(
      ['http.agent.name', variable('bot')],
      ['bot', `${variable('team')}-bot`],
      ['team', 'acme'],
      ['fetcher.server.delay', variable('env.DELAY')],
      ['http.agent.email', variable('http.agent.email')],
    ),
    seeds,
    regexes,
  );
  expect(xml).toContain('userAgent="acme-bot" robotsAgent="acme-bot"');
  expect(xml.slice(xml.indexOf('-->'))).not.toContain('$');
  expect(linesOf(report, 'not taken')).toContain(`nutch-site.xml:1 fetcher.server.delay = ${variable('env.DELAY')}`);
});

it('of two contacts, the report says which one is taken', () => {
  const contacts = site(['http.agent.url', 'https://acme.example/bot'], ['http.agent.email', 'bot@acme.example']);
  const { report } = importAndLoad('nutch', contacts, seeds, regexes);
  expect(linesOf(report, 'not taken')).toEqual(['nutch-site.xml:1 http.agent.email = bot@acme.example']);
});

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

it.each([
  ['fetcher.threads.fetch', '2000', 'nthreads="1000"'],
  ['fetcher.queue.mode', 'byIP', 'politenessBy="address"'],
  ['http.timeout', '10000', 'headerTimeoutMS="10000"'],
  ['http.redirect.max', '200', 'maxRedirects="100"'],
  ['db.fetch.interval.default', '7200', 'smartRefreshMaxAgeS="7200" smartRefreshMinAgeS="3600"'],
  ['db.fetch.retry.max', '5', '<cw:ErrorPolicy maxTemporaryErrors="5"/>'],
  ['http.robots.agents', 'acme bot,other', 'robotsAgent="acmebot"'],
  ['http.agent.name', 'acme', 'robotsAgent="acme" userAgent="acme"'],
  ['http.accept.language', 'de', 'acceptLanguage="de"'],
  ['solr.server.url', 'http://solr:8983/solr/web/', 'type="solr" url="http://solr:8983/solr" index="web"'],
])('the property %s %s becomes %s', (name, value, expected) => {
  const { xml, report } = importAndLoad('nutch', site([name, value]), seeds, regexes);
  const attributes = [...xml.matchAll(/<(?:Crawler|cw:\w+) .*/g)].map(([element]) =>
    element.split(' ').sort().join(' '),
  );
  const words = expected.split(' ');
  expect(attributes.some((element) => words.every((word) => element.includes(word)))).toBe(true);
  expect(linesOf(report, 'not taken')).toEqual([]);
});

it('a number that is none is not taken', () => {
  const { xml, report } = importAndLoad('nutch', site(['fetcher.server.delay', 'soon']), seeds, regexes);
  expect(xml).toContain('throttleTimeMS="5000"');
  expect(linesOf(report, 'not taken')).toEqual(['nutch-site.xml:1 fetcher.server.delay']);
});
