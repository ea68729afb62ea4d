import { describe, expect, it } from 'vitest';
import { accepts, file, importAndLoad, linesOf, SITE, verdicts } from '../../test/support/imported.js';
import { convert } from '../index.js';
import { createOriginal } from '../original/index.js';

describe('mnoGoSearch', () => {
  const conf = `DBAddr mysql://user:hunter2@localhost/search/
AuthBasic user:hunter2
UserAgent bot/1
HTTPHeader "X-Team: search"
MaxDocSize 100000
Period 7d
Tag news
Include more.conf
Disallow *.ZIP */private/*
CheckOnly Regex \\.pdf$
HrefOnly Case */Index/*
Allow NoMatch *draft*
Disallow *
Server Disallow ${SITE}/news/old/
Server ${SITE}/news/index.html
Server page ${SITE}/about.html
Server site https://docs.example.com/deep/page.html
Realm Regex ^https://[a-z]+\\.example\\.org/
Subnet 10.0.0.0/8
Section body 1 256
Section isbn 5 64 "ISBN ([0-9-]+)" "$1"
Mime application/msword text/plain "catdoc $1"
HoldBadHrefs 30d`;
  const files = [file('indexer.conf', conf), file('more.conf', 'MaxHops 4\n')];

  it('the first matching command decides, for servers and for filters', () => {
    verdicts(accepts('mnogosearch', ...files), {
      '/news/a': true,
      '/news/old/a': false,
      '/a': false,
      '/about.html': true,
      '/about.html?x=1': true,
      '/ABOUT.html': true,
      'https://docs.example.com/other': true,
      'https://www.example.org/a': true,
      '/news/a.zip': false,
      '/news/Private/a': false,
      '/news/draft/a': false,
      '/news/a.pdf?draft': false,
    });
  });

  it('parameters, sections, headers and the rest are taken or listed, without passwords', () => {
    const { definition, report, xml } = importAndLoad('dataparksearch', ...files);
    const record = definition.crawlers[0]!.servers!.records.find(({ url }) => url === `${SITE}/news/`);
    expect(record!.parameters).toMatchObject({ tag: 'news', maxHops: 4, period: 7 * 86_400_000 });
    expect(xml).toContain('<cw:Header name="X-Team" value="search"/>');
    expect(xml).toContain('<cw:Field name="isbn" select="body" match="ISBN ([0-9-]+)"/>');
    expect(xml).not.toContain('hunter2');
    expect(JSON.stringify(report.lines)).not.toContain('hunter2');
    expect(linesOf(report, 'not taken').map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
      'indexer.conf:1 DBAddr',
      'indexer.conf:2 AuthBasic',
      'indexer.conf:19 Subnet',
      'indexer.conf:22 Mime',
      'indexer.conf:23 HoldBadHrefs',
    ]);
  });

  it('links of HrefOnly are followed, what CheckOnly covers is neither indexed nor followed', () => {
    const { xml } = importAndLoad('mnogosearch', ...files);
    expect(xml).toMatch(/<Rule><ar:And>.*\/Index\/.*<NoIndex\/><Follow\/><\/Rule>/);
    expect(xml).toMatch(/<Rule><ar:And>.*pdf.*<NoIndex\/><NoFollow\/><\/Rule>/);
  });

  it.each([
    ['Period 7d\n', 'contains no Server, Realm, Subnet or URL command'],
    [`Server ${SITE}/\nInclude gone.conf`, 'indexer.conf:2: gone.conf was not found'],
  ])('%j is refused', (text, message) => {
    expect(() => convert('mnogosearch', [file('indexer.conf', text)])).toThrow(message);
  });

  it('a pattern is no root, and each argument of NoMatch counts alone', () => {
    const text =
      'Server Regex ^https://www\\.example\\.com/au\nServer String http*://*.example.org/*\nURL https://www.example.com/au\n';
    const { definition } = importAndLoad('mnogosearch', file('indexer.conf', text));
    expect(definition.crawlers[0]!.roots.map(({ url }) => url)).toEqual([`${SITE}/au`]);
    verdicts(accepts('mnogosearch', file('indexer.conf', text)), {
      '/au/a': true,
      '/a': false,
      'http://docs.example.org/a': true,
    });
    verdicts(accepts('mnogosearch', file('indexer.conf', `Disallow NoMatch */a* */b*\nServer ${SITE}/\n`)), {
      '/a': false,
      '/a/b': true,
    });
  });

  it('an alias that is no URL is listed, and a variable is refused where it says what is crawled', () => {
    const { definition, report } = importAndLoad(
      'mnogosearch',
      file('indexer.conf', `Server ${SITE}/ file:///srv/www/\n`),
    );
    expect(definition.crawlers[0]!.servers).toBeUndefined();
    expect(linesOf(report, 'not taken').join()).toContain('alias file:///srv/www/');
    const convertText = (text: string) => () => convert('mnogosearch', [file('indexer.conf', text)]);
    expect(convertText(`Server ${SITE}/\nDisallow $(PRIVATE)*\n`)).toThrow('indexer.conf:2: $(PRIVATE) has no value');
    expect(convertText(`Server ${SITE}/\nActionSQL insert title "." "VALUES($(TITLE))"\n`)).not.toThrow();
  });
});

it.each(['', 'HrefOnly */index/*'])('without a Server that can be taken, the crawl stays on its hosts: %s', (more) => {
  const conf = file('indexer.conf', `Subnet 10.0.0.0/8\nURL ${SITE}/\n${more}\n`);
  verdicts(accepts('mnogosearch', conf), { '/a': true, 'https://elsewhere.test/': false });
  expect(linesOf(importAndLoad('mnogosearch', conf).report, 'taken differently')).toContain('the scope of the crawl');
});

it.each(['page', 'no', 'nofollow'])('the links of a page that stands alone are not followed: %s', (word) => {
  for (const conf of [
    `Server ${word} ${SITE}\n`,
    `Follow ${word}\nServer ${SITE}\nServer site https://docs.test/a\n`,
  ]) {
    const { xml } = importAndLoad('mnogosearch', file('indexer.conf', conf));
    expect(xml).toMatch(/value="https:\/\/www\.example\.com\/"[^>]*><Index\/><NoFollow\/>/);
    if (conf.includes('docs.test')) expect(xml).toMatch(/value="https:\/\/docs\.test\/"[^>]*><Index\/><Follow\/>/);
  }
});

it.each([
  [`Server ${SITE}/Docs/`, '/docs/a', true],
  [`Server Case ${SITE}/Docs/`, '/docs/a', false],
  [`Server Case page ${SITE}`, '/docs/a', true],
  [`Server ${SITE}/\nDisallow Regexp ^https://www[.]`, '/a', false],
])('the original and its import say the same of %j', (text, path, isAccepted) => {
  const conf = file('indexer.conf', text);
  expect(createOriginal('mnogosearch', [conf]).judge(new URL(path, SITE)).accepted).toBe(isAccepted);
  verdicts(accepts('mnogosearch', conf), { [path]: isAccepted });
});

it('no header with a secret is copied or shown', () => {
  const conf = file('indexer.conf', `HTTPHeader "X-Auth: hunter2"\nHTTPHeader "X-Team: search"\nServer ${SITE}/\n`);
  const { xml } = importAndLoad('mnogosearch', conf);
  expect(xml).toContain('<cw:Header name="X-Team" value="search"/>');
  expect(xml).not.toContain('hunter2');
});

it.each([
  ['MaxDocSize 1000', 'maxSizeBytes="1000"'],
  ['CrawlDelay 3', 'throttleTimeMS="3000"'],
  ['UserAgent "a b"', 'userAgent="a b"'],
  ['HTTPHeader "Accept-Language: de"', 'acceptLanguage="de"'],
  ['HTTPHeader "User-Agent: c"', 'userAgent="c"'],
  ['HTTPHeader "X-A: b"', '<cw:Header name="X-A" value="b"/>'],
  ['DetectClones no', '<cw:LeaveOut exactDuplicates="false"/>'],
])('the command %s becomes %s', (command, expected) => {
  const { xml, report } = importAndLoad('mnogosearch', file('indexer.conf', `Server ${SITE}/\n${command}\n`));
  expect(xml).toContain(expected);
  expect(linesOf(report, 'not taken')).toEqual([]);
});
