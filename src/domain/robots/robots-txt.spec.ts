import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  EMPTY_ROBOTS,
  findCrawlDelay,
  findDecisiveRule,
  isAllowedByRobots,
  parseRobots,
  ROBOTS_SIZE_LIMIT,
} from './robots-txt.js';

const allows = (text: string | Uint8Array, agent: string, path: string) =>
  isAllowedByRobots(parseRobots(text), agent, path);

describe('the group that applies to an agent', () => {
  it('is the one of its product token, in any case, with any version', () => {
    const text = 'User-agent: FOOBOT/2.1 (+https://foo.example)\nDisallow: /a\n\nUser-agent: *\nDisallow: /';
    expect(allows(text, 'foobot', '/b')).toBe(true);
    expect(allows(text, 'FooBot', '/a')).toBe(false);
    expect(allows(text, 'FooBot/1.0', '/a')).toBe(false);
    expect(allows(text, 'barbot', '/b')).toBe(false);
  });

  it('is the whole token, not a part of it', () => {
    const text = 'User-agent: foo\nDisallow: /\nUser-agent: foobot-images\nDisallow: /';
    expect(allows(text, 'foobot', '/')).toBe(true);
    expect(allows(text, 'foo', '/')).toBe(false);
  });

  it('is the sum of all groups with its token', () => {
    const text =
      'user-agent: a\ndisallow: /x\n\nuser-agent: b\ndisallow: /y\n\nuser-agent: A\ndisallow: /z\nallow: /x/open';
    expect(['/x', '/y', '/z', '/x/open'].map((path) => allows(text, 'a', path))).toEqual([false, true, false, true]);
  });

  it('decides by the longest match over all of them, in whatever order they stand', () => {
    const [open, closed] = ['user-agent: a\nallow: /x/open', 'user-agent: a\ndisallow: /x'];
    expect(allows(`${open}\n\n${closed}`, 'a', '/x/open')).toBe(true);
    expect(allows(`${closed}\n\n${open}`, 'a', '/x/open')).toBe(true);
    expect(allows('user-agent: a\nallow: /x\n\nuser-agent: a\ndisallow: /x', 'a', '/x')).toBe(true);
  });

  it('is the merged group for * only when no group has its token', () => {
    const text = 'user-agent: *\ndisallow: /x\nuser-agent: b\ndisallow:\nuser-agent: * # again\ndisallow: /y';
    expect(['/x', '/y', '/z'].map((path) => allows(text, 'a', path))).toEqual([false, false, true]);
    expect(['/x', '/y', '/z'].map((path) => allows(text, 'b', path))).toEqual([true, true, true]);
  });

  it('may be shared by several agents, with blank lines, comments and sitemaps between their names', () => {
    const text = 'User-agent: a\n\n# second\nSitemap: https://s.example/s.xml\nUser-agent: b\nDisallow: /x';
    expect(allows(text, 'a', '/x')).toBe(false);
    expect(allows(text, 'b', '/x')).toBe(false);
  });

  it('ends where a new name follows a rule', () => {
    const text = 'User-agent: *\nDisallow: /y\n\nUser-agent: b\nDisallow: /';
    expect(allows(text, 'a', '/x')).toBe(true);
    expect(allows(text, 'b', '/x')).toBe(false);
  });

  it.each(['Crawl-delay: 1', 'Noindex: /', 'Sitemap: https://s.example/', 'Host: s.example', 'nonsense'])(
    'does not end at %s, which is not a rule of the standard',
    (record) => {
      const text = `User-agent: a\n${record}\n\nUser-agent: b\nDisallow: /x`;
      expect(['a', 'b', 'c'].map((agent) => allows(text, agent, '/x'))).toEqual([false, false, true]);
    },
  );

  it('does not include rules before the first name', () => {
    expect(allows('Disallow: /\nUser-agent: b\nDisallow: /y', 'a', '/x')).toBe(true);
  });

  it('does not exist when the name is empty or not a token', () => {
    expect(allows('User-agent:\nDisallow: /', 'a', '/x')).toBe(true);
    expect(allows('User-agent: (a)\nDisallow: /', 'a', '/x')).toBe(true);
  });
});

describe('the rule that decides', () => {
  it.each([
    ['the longest match', 'allow: /p\ndisallow: /', '/page', true],
    ['Allow when both are as long', 'disallow: /folder\nallow: /folder', '/folder/page', true],
    [
      'the longest, in the RFC example',
      'allow: /example/page/\ndisallow: /example/page/disallowed.gif',
      '/example/page/disallowed.gif',
      false,
    ],
    ['a wildcard counts by its length', 'allow: /page\ndisallow: /*.htm', '/page.htm', false],
    ['Allow against an equally long wildcard', 'allow: /page\ndisallow: /*.ph', '/page.php5', true],
    ['the end anchor', 'allow: /$\ndisallow: /', '/', true],
    ['the end anchor, elsewhere', 'allow: /$\ndisallow: /', '/page.htm', false],
    ['no rule: allowed', 'disallow: /x', '/y', true],
    ['an empty Disallow allows', 'disallow:', '/y', true],
    ['an empty Allow is nothing', 'allow:\ndisallow: /', '/y', false],
    ['robots.txt is always allowed', 'disallow: /', '/robots.txt', true],
    ['patterns off the root match nothing', 'disallow: y', '/y', true],
    ['an empty path is the root', 'disallow: /', '', false],
    ['letter case counts in paths', 'disallow: /X', '/x', true],
  ])('%s', (_, rules, path, allowed) => expect(allows(`user-agent: *\n${rules}`, 'a', path)).toBe(allowed));

  it('does not depend on the order of the rules', () => {
    const rules = ['disallow: /a', 'allow: /a/b', 'disallow: /a/b/c', 'allow: /*d$'];
    const paths = ['/a', '/a/b', '/a/b/c', '/a/d', '/a/b/c/d', '/z'];
    const expected = paths.map((path) => allows(`user-agent: *\n${rules.join('\n')}`, 'a', path));
    expect(expected).toEqual([false, true, false, true, false, true]);
    fc.assert(
      fc.property(fc.shuffledSubarray(rules, { minLength: 4 }), (shuffled) => {
        expect(paths.map((path) => allows(`user-agent: *\n${shuffled.join('\n')}`, 'a', path))).toEqual(expected);
      }),
    );
  });
});

describe('patterns', () => {
  it.each([
    ['/', '/any', true],
    ['/fish', '/fish', true],
    ['/fish', '/fish.html', true],
    ['/fish', '/fishheads/yummy.html', true],
    ['/fish', '/Fish.asp', false],
    ['/fish', '/catfish', false],
    ['/fish*', '/fish.php?id=anything', true],
    ['/fish*', '/desert/fish', false],
    ['/fish/', '/fish', false],
    ['/fish/', '/animals/fish/', false],
    ['/*.php', '/index.php', true],
    ['/*.php', '/folder/filename.php?parameters', true],
    ['/*.php', '/windows.PHP', false],
    ['/*.php$', '/filename.php', true],
    ['/*.php$', '/filename.php?parameters', false],
    ['/*.php$', '/filename.php5', false],
    ['/*.php$', '/a.php/b.php', true],
    ['/fish*.php', '/fishheads/catfish.php?parameters', true],
    ['/fish*.php', '/Fish.PHP', false],
    ['*', '/x', true],
    ['*/x', '/a/x/b', true],
    ['/a**b', '/a/b', true],
    ['/a*b*a$', '/aba', true],
    ['/a*ba$', '/aba', true],
    ['/ab*ba$', '/aba', false],
    ['/a$b', '/a', false],
    ['/a$b', '/a$b', true],
    ['/a$b', '/a%24b', true],
    ['/a%24', '/a$', true],
    ['/a%24', '/a', false],
    ['/a-%2A.html', '/a-*.html', true],
    ['/a-%2A.html', '/a-b.html', false],
    ['/foo/bar?baz=quz', '/foo/bar?baz=quz', true],
    ['/foo/bar?baz=https://foo.bar', '/foo/bar?baz=https%3A%2F%2Ffoo.bar', true],
    ['/foo/bar?baz=https%3A%2F%2Ffoo.bar', '/foo/bar?baz=https://foo.bar', true],
    ['/foo/bar/ツ', '/foo/bar/%E3%83%84', true],
    ['/foo/bar/%e3%83%84', '/foo/bar/%E3%83%84', true],
    ['/foo/bar/%E3%83%84', '/foo/bar/ツ', true],
    ['/foo/bar/%62%61%7A', '/foo/bar/baz', true],
    ['/foo/bar/baz', '/foo/bar/%62%61%7A', true],
    ['/a%2Fb', '/a/b', false],
    ['/a%2fb', '/a%2Fb', true],
    ['/a|b', '/a%7Cb', true],
    ['/a%zz', '/a%zz', true],
  ])('%s against %s: %s', (pattern, path, matches) =>
    expect(allows(`user-agent: *\ndisallow: ${pattern}`, 'a', path)).toBe(!matches),
  );

  it('may end with a letter whose last byte is that of a no-break space', () => {
    const robots = parseRobots(
      'User-agent: *\nDisallow: /novità \nDisallow /città\t\nSitemap: https://s.example/città\n',
    );
    const paths = ['/novit%C3%A0', '/citt%C3%A0', '/novit%C3%A9', '/citt%C3%A9'];
    expect(paths.map((path) => isAllowedByRobots(robots, 'a', path))).toEqual([false, false, true, true]);
    expect(robots.sitemaps).toEqual(['https://s.example/città']);
  });

  it.each(['latin1', 'utf8'] as const)('are not affected by no-break spaces around them, in %s', (encoding) => {
    const text = 'User-agent:\xa0*\xa0\n\xa0Disallow\xa0:\xa0/private\xa0 \nDisallow: /\xe0\xa0\n';
    const robots = parseRobots(Buffer.from(text, encoding));
    expect(['/private', '/other'].map((path) => isAllowedByRobots(robots, 'a', path))).toEqual([false, true]);
  });

  it('in an old 8-bit encoding are compared by their bytes', () => {
    const text = Uint8Array.from('user-agent: *\ndisallow: /caf\xe9', (character) => character.charCodeAt(0));
    expect(allows(text, 'a', '/caf%E9/menu')).toBe(false);
    expect(allows(text, 'a', '/caf%C3%A9/menu')).toBe(true);
  });

  it('match exactly the paths that the equivalent regular expression matches', () => {
    const letters = fc.array(fc.constantFrom('a', 'b', '/'), { maxLength: 12 }).map((parts) => `/${parts.join('')}`);
    const pattern = fc
      .tuple(fc.array(fc.constantFrom('a', 'b', '/', '*'), { maxLength: 8 }), fc.boolean())
      .map(([parts, anchored]) => `/${parts.join('')}${anchored ? '$' : ''}`);
    fc.assert(
      fc.property(pattern, letters, (glob, path) => {
        const expression = new RegExp(`^${glob.replaceAll('*', '.*')}`);
        expect(allows(`user-agent: *\ndisallow: ${glob}`, 'a', path)).toBe(!expression.test(path));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('reading', () => {
  it.each([
    ['line feeds', 'User-agent: a\nDisallow: /x\nAllow: /x/y\n'],
    ['carriage returns', 'User-agent: a\rDisallow: /x\rAllow: /x/y\r'],
    ['both', 'User-agent: a\r\nDisallow: /x\r\nAllow: /x/y\r\n'],
    ['a byte order mark', '\ufeffUser-agent: a\nDisallow: /x\nAllow: /x/y'],
    ['blanks and comments', '  user-agent : a # us\n\tDISALLOW:/x#no\n allow:   /x/y   '],
    ['known misspellings', 'useragent: a\nDissalow: /x\nallow /x/y'],
    ['nonsense between', 'User-agent: a\n<html>\nNoindex: /\nconstructor: /y\nDisallow: /x\n:\nAllow: /x/y'],
  ])('takes %s', (_, text) => {
    expect(allows(text, 'a', '/x')).toBe(false);
    expect(allows(text, 'a', '/x/y')).toBe(true);
    expect(allows(text, 'a', '/y')).toBe(true);
  });

  it('collects the sitemaps of the whole file once each, wherever they stand', () => {
    const text =
      'Sitemap: https://a.example/1.xml\nuser-agent: b\nsitemap: https://a.example/2.xml\nSite-map:https://a.example/ü\nSITEMAP: https://a.example/1.xml\nSitemap:';
    expect(parseRobots(text).sitemaps).toEqual([
      'https://a.example/1.xml',
      'https://a.example/2.xml',
      'https://a.example/ü',
    ]);
  });

  it('keeps the first 1,000 sitemaps', () => {
    const text = Array.from({ length: 1_001 }, (_, i) => `Sitemap: https://a.example/${i}.xml`).join('\n');
    const { sitemaps } = parseRobots(text);
    expect([sitemaps.length, sitemaps.at(-1)]).toEqual([1_000, 'https://a.example/999.xml']);
  });

  it('leaves out a byte order mark, but no other bytes', () => {
    const rest = new TextEncoder().encode('user-agent: *\ndisallow: /x');
    const isDisallowed = (...head: number[]) => !allows(Uint8Array.from([...head, ...rest]), 'a', '/x');
    expect(isDisallowed(0xef, 0xbb, 0xbf)).toBe(true);
    expect(isDisallowed(0xef, 0xbb, 0x20)).toBe(false);
    expect(isDisallowed(0xef, 0x20, 0x20)).toBe(false);
  });

  it('reads UTF-16 with a byte order mark', () => {
    const littleEndian = Buffer.from('\ufeffuser-agent: *\ndisallow: /ü', 'utf16le');
    for (const bytes of [littleEndian, Buffer.from(littleEndian).swap16()])
      expect(['/%C3%BC', '/u'].map((path) => allows(bytes, 'a', path))).toEqual([false, true]);
  });

  it('stops at 500 KiB and drops a truncated last line', () => {
    const head = 'user-agent: *\ndisallow: /early\n';
    const filler = '#'.repeat(ROBOTS_SIZE_LIMIT - head.length - '\ndisallow: /'.length);
    const whole = new TextEncoder().encode(`${head}${filler}\ndisallow: /late`);
    for (const bytes of [whole, whole.subarray(0, ROBOTS_SIZE_LIMIT)]) {
      expect(['/early', '/late', '/other'].map((path) => allows(bytes, 'a', path))).toEqual([false, true, true]);
    }
  });

  it('results in plain data that survives storage', () => {
    const robots = parseRobots('user-agent: *\ndisallow: /x\ncrawl-delay: 2\nsitemap: https://a.example/');
    expect(JSON.parse(JSON.stringify(robots))).toEqual(robots);
  });

  it('of an empty file allows everything', () => {
    expect(isAllowedByRobots(EMPTY_ROBOTS, 'a', '/x')).toBe(true);
    expect(parseRobots('')).toEqual(EMPTY_ROBOTS);
  });

  it('and matching never throw, whatever the bytes', () => {
    const line = fc
      .tuple(fc.constantFrom('user-agent', 'allow', 'disallow', 'crawl-delay', 'sitemap', '__proto__'), fc.string())
      .map(([field, value]) => `${field}: ${value}`);
    const text = fc.array(fc.oneof(line, fc.string()), { maxLength: 20 }).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(fc.oneof(text, fc.uint8Array({ maxLength: 200 })), fc.string(), fc.string(), (input, agent, path) => {
        const robots = parseRobots(input);
        expect(typeof isAllowedByRobots(robots, agent, path)).toBe('boolean');
        findCrawlDelay(robots, agent);
      }),
    );
  });
});

describe('Crawl-delay', () => {
  it.each([
    ['10', 10_000],
    ['0.5', 500],
    ['.25', 250],
    ['0', 0],
    ['999999', 86_400_000],
    ['-1', undefined],
    ['1e3', undefined],
    ['ten', undefined],
    ['', undefined],
  ])('of %j is %s ms', (value, delay) =>
    expect(findCrawlDelay(parseRobots(`user-agent: *\ncrawl-delay: ${value}`), 'a')).toBe(delay),
  );

  it('is that of the group for the agent, the longest of several', () => {
    const robots = parseRobots(
      'user-agent: *\ncrawl-delay: 9\n\nuser-agent: a\ncrawl-delay: 1\n\nuser-agent: a\ncrawl-delay: 3\n\nuser-agent: b\ndisallow: /x',
    );
    expect(findCrawlDelay(robots, 'a')).toBe(3000);
    expect(findCrawlDelay(robots, 'b')).toBeUndefined();
    expect(findCrawlDelay(robots, 'c')).toBe(9000);
  });
});

describe('many rules', () => {
  it('decide as a simple search through all of them would', () => {
    const piece = fc.constantFrom('a', 'b', '/', '*', '.php', '/folder', '%41', '?');
    const pattern = fc
      .tuple(fc.array(piece, { minLength: 1, maxLength: 8 }), fc.boolean())
      .map(([parts, anchored]) => `/${parts.join('')}${anchored ? '$' : ''}`);
    const rules = fc.array(fc.tuple(fc.boolean(), pattern), { minLength: 1, maxLength: 80 });
    const path = fc.array(piece, { maxLength: 8 }).map((parts) => `/${parts.join('').replaceAll('*', 'b')}`);
    fc.assert(
      fc.property(rules, path, (list, asked) => {
        const texts = list.map(([allow, text]) => `${allow ? 'allow' : 'disallow'}: ${text}`);
        const alone = texts.flatMap(
          (text) => findDecisiveRule(parseRobots(`user-agent: *\n${text}`), 'a', asked) ?? [],
        );
        const longest = Math.max(...alone.map((rule) => rule.pattern.length));
        const expected = alone.filter((rule) => rule.pattern.length === longest).some(({ allow }) => allow);
        const all = findDecisiveRule(parseRobots(`user-agent: *\n${texts.join('\n')}`), 'a', asked);
        expect(all?.allow).toBe(alone.length === 0 ? undefined : expected);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the rule that decides', () => {
  const robots = parseRobots(
    '# first\nUser-agent: *\r\nDisallow: /a\rAllow: /a/b # but\n\nUser-agent: bot\nDisallow: /\n',
  );

  it('is reported with its line number', () => {
    expect(findDecisiveRule(robots, 'other', '/a/c')).toEqual({ allow: false, pattern: '/a', line: 3 });
    expect(findDecisiveRule(robots, 'other', '/a/b')).toMatchObject({ allow: true, line: 4 });
    expect(findDecisiveRule(robots, 'bot', '/a/b')).toMatchObject({ allow: false, line: 7 });
  });

  it('is undefined where nothing matches', () => {
    expect(findDecisiveRule(robots, 'other', '/x')).toBeUndefined();
    expect(findDecisiveRule(robots, 'bot', '/robots.txt')).toBeUndefined();
  });
});
