import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CANONICALIZATION_STEPS,
  type CanonicalizationStep,
  createCanonicalizer,
  DEFAULT_CANONICALIZATION,
  recanonicalize,
  resolveBaseUrl,
} from './canonicalize.js';
import { toCrawlUrl } from './crawl-url.js';
import { normalizeEscapes } from './url-form.js';

const plain = createCanonicalizer([]);
const canonical = (steps: readonly CanonicalizationStep[], raw: string, base?: string) =>
  createCanonicalizer(steps)(raw, base)?.href;

const session = 'abcdefghijklmnopqrstuvwx';
const segments = fc.oneof(
  fc.constantFrom(
    '',
    '.',
    '..',
    '%2e',
    'index.html',
    'Default.ASPX',
    'a',
    'B',
    `(${session})`,
    `(S(${session}))`,
    'a b',
    '%41',
    'é',
  ),
  fc.constantFrom(';jsessionid=1', 'x;SID=2', '..;sid=3', 'index.php;phpsessid=4;v=1', ';jsess;sid=5ionid=6', '(', ')'),
);
const parameters = fc.oneof(
  fc.constantFrom(
    '',
    `sid=${session}`,
    'sid=1',
    'PHPSESSID=2',
    'utm_source=x',
    'gclid',
    'b=2',
    'a=1',
    'a',
    '=',
    'q=é',
    '?x',
    '_ga=1',
    'a=%26',
  ),
  fc.constantFrom('sid', 'utm_=1', 'utm_x', 'Sid=', 'zenid=1&zenid=2'),
);
const urls = fc
  .record({
    origin: fc.constantFrom(
      'http://a.example',
      'HTTPS://User:pw@B.Example:443',
      'http://[::1]:81',
      'http://a.example.:80',
      'https://bücher.example:8443',
    ),
    path: fc.array(segments, { maxLength: 6 }),
    query: fc.option(fc.array(parameters, { maxLength: 5 })),
    fragment: fc.option(fc.constantFrom('', 'top', '!/route?x=1', '/', '/a/b?c#d')),
  })
  .map(({ origin, path, query, fragment }) =>
    [`${origin}/${path.join('/')}`, query && `?${query.join('&')}`, fragment !== null && `#${fragment}`]
      .filter(Boolean)
      .join(''),
  );
const someSteps = fc.subarray([...CANONICALIZATION_STEPS]);

describe('canonicalization', () => {
  it('gives the WHATWG form with normal percent-encoding, without user info and fragment, when no step is chosen', () => {
    fc.assert(
      fc.property(urls, (raw) => {
        const url = new URL(raw);
        url.hash = '';
        url.username = '';
        url.password = '';
        expect(plain(raw)?.href).toBe(normalizeEscapes(url.href));
        expect(plain(raw)?.fragment).toBe(normalizeEscapes(new URL(raw).hash.slice(1)));
      }),
    );
  });

  it('is idempotent, whichever steps are chosen', () => {
    fc.assert(
      fc.property(urls, someSteps, (raw, steps) => {
        const once = canonical(steps, raw)!;
        expect(canonical(steps, once)).toBe(once);
      }),
      { numRuns: 2000 },
    );
  });

  it.each(CANONICALIZATION_STEPS)('%s alone is idempotent', (step) => {
    fc.assert(
      fc.property(urls, (raw) => {
        const once = canonical([step], raw)!;
        expect(canonical([step], once)).toBe(once);
      }),
      { numRuns: 300 },
    );
  });

  it('never changes the host, except for a trailing dot, and does not depend on the order of the steps', () => {
    fc.assert(
      fc.property(urls, someSteps, (raw, steps) => {
        expect(new URL(canonical(steps, raw)!).host.replace(/\.$/, '')).toBe(new URL(raw).host.replace(/\.$/, ''));
        expect(canonical([...steps].reverse(), raw)).toBe(canonical(steps, raw));
      }),
    );
  });

  it('resolves against the base as WHATWG does', () => {
    const relative = fc.string({ unit: fc.constantFrom(...'./?#:@ab\\%2eE&=; \t'), maxLength: 12 });
    fc.assert(
      fc.property(
        relative,
        fc.constantFrom('http://a.example/b/c?d', 'https://a.example', 'http://a.example/x/y/z/'),
        (raw, base) => {
          const url = URL.parse(raw, base);
          if (url) Object.assign(url, { hash: '', username: '', password: '' });
          expect(plain(raw, base)?.href).toBe(url && url.host !== '' ? normalizeEscapes(url.href) : undefined);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('is the same for a link and for the URL that it resolves to', () => {
    const links = fc
      .tuple(
        fc.constantFrom('', '/', '../', './', '//b.example/', '?', 'http://a.example/', '#'),
        fc.array(segments),
        parameters,
      )
      .map(([front, path, parameter]) => `${front}${path.join('/')}?${parameter}`);
    fc.assert(
      fc.property(
        links,
        someSteps,
        fc.constantFrom('http://a.example/b/c?sid=1', 'https://u:p@a.example:8443/#x'),
        (link, steps, base) => {
          fc.pre(URL.canParse(link, base));
          expect(createCanonicalizer(steps)(link, base)).toEqual(createCanonicalizer(steps)(new URL(link, base).href));
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('gives a stored URL the form that its text has, whichever steps were chosen when it was stored', () => {
    fc.assert(
      fc.property(urls, someSteps, someSteps, (raw, former, steps) => {
        const stored = createCanonicalizer(former)(raw)!;
        expect(recanonicalize(stored, createCanonicalizer(steps))?.href).toBe(canonical(steps, stored.href));
      }),
      { examples: [['http://a.example//b.example/', [], []]] },
    );
  });

  it.each([
    ['/docs/', 'http://a.example/docs/'],
    ['//b.example', 'http://b.example/'],
    ['data:text/html,x', 'http://a.example/x'],
    [`/${'x'.repeat(16_400)}/`, 'http://a.example/x'],
  ])('has a base that the page names, unless it is none or too long: %s', (written, expected) => {
    expect(resolveBaseUrl('http://a.example/x', written)).toBe(expected);
  });

  it.each([
    '',
    'page.html',
    'http://',
    'http://[',
    'mailto:a@b.example',
    'javascript:void(0)',
    'data:text/html,x',
    'tel:1',
    'http://a b/',
  ])('%j is not a URL with a host', (raw) => expect(plain(raw)).toBeUndefined());

  it.each<[CanonicalizationStep, string, string]>([
    ['lower-case-path', 'http://a.example/A%2FÉ/b?Q=X', 'http://a.example/a%2F%C3%A9/b?Q=X'],
    ['remove-trailing-dot', 'http://a.example.:8080/x?y', 'http://a.example:8080/x?y'],
    ['remove-session-ids', 'http://a.example/x;jsessionid=1F?a=1&PHPSESSID=2&b=3', 'http://a.example/x?a=1&b=3'],
    ['remove-session-ids', `http://a.example/(S(${session}))/x.aspx`, 'http://a.example/x.aspx'],
    ['remove-session-ids', `http://a.example/(${session})/x.aspx`, 'http://a.example/x.aspx'],
    ['remove-session-ids', `http://a.example/?sid=${session}`, 'http://a.example/'],
    ['remove-session-ids', 'http://a.example/?SessionID=0f8fad5b-d9cb-469f-a165-70867728950e', 'http://a.example/'],
    ['remove-session-ids', 'http://a.example/?sid=&b', 'http://a.example/?b'],
    ['remove-session-ids', 'http://a.example/?side=1&q=sid', 'http://a.example/?side=1&q=sid'],
    ['remove-session-ids', `http://a.example/?a?sid=${session}&b&sid`, `http://a.example/?a?sid=${session}&b`],
    ['remove-session-ids', 'http://a.example/?file=article&sid=172', 'http://a.example/?file=article&sid=172'],
    ['remove-session-ids', 'http://a.example/?session_id=S31234', 'http://a.example/?session_id=S31234'],
    ['remove-session-ids', 'http://a.example/?sid=the-weather-of-2026', 'http://a.example/?sid=the-weather-of-2026'],
    ['remove-tracking-parameters', 'http://a.example/?utm_source=a&x=%20+1&fbclid=2', 'http://a.example/?x=%20+1'],
    ['sort-parameters', 'http://a.example/?b=1&a=2&a=1', 'http://a.example/?a=1&a=2&b=1'],
    ['remove-empty-query', 'http://a.example/x?', 'http://a.example/x'],
    ['remove-empty-query', 'http://a.example/x?#top', 'http://a.example/x'],
    ['remove-empty-query', 'http://a.example/x?a', 'http://a.example/x?a'],
    ['remove-default-document', 'http://a.example/d/index.html?x', 'http://a.example/d/?x'],
    ['remove-default-document', 'http://a.example/d/myindex.html', 'http://a.example/d/myindex.html'],
    ['remove-trailing-slash', 'http://a.example/d/', 'http://a.example/d'],
    ['remove-trailing-slash', 'http://a.example/', 'http://a.example/'],
    ['collapse-slashes', 'http://a.example//d///e', 'http://a.example/d/e'],
  ])('%s turns %s into %s', (step, raw, expected) => {
    expect(canonical([step], raw)).toBe(expected);
    const others = CANONICALIZATION_STEPS.filter((other) => other !== step);
    if (canonical([], raw) !== expected) expect(canonical(others, raw)).not.toBe(expected);
  });

  it.each([
    ['http://a.example/app?x=1#/orders/7?tab=a%2fb', 'http://a.example/app?x=1#/orders/7?tab=a%2Fb'],
    ['http://a.example/x?PHPSESSID=1#!/orders/7', 'http://a.example/x#!/orders/7'],
    ['http://a.example/#/', 'http://a.example/'],
    ['http://a.example/#top', 'http://a.example/'],
    ['http://a.example/#!top', 'http://a.example/'],
  ])('keeps only fragments that are routes when configured: %s', (raw, expected) => {
    const url = createCanonicalizer([...DEFAULT_CANONICALIZATION, 'keep-hash-routes'])(raw)!;
    expect(url.href).toBe(expected);
    expect(canonical([], raw)).not.toContain('#');
    // Rules and robots.txt see the same parts, whether the URL was just found or was stored.
    const { lostQuery: _, ...parts } = url;
    expect(toCrawlUrl(url.href, url.fragment)).toEqual(parts);
  });

  it.each([
    ['http://a.example/x?', true],
    ['http://a.example/x?#top', true],
    ['http://a.example/x?PHPSESSID=1', true],
    ['http://a.example/x?q=1', undefined],
    ['http://a.example/x#top?', undefined],
    ['http://a.example/x', undefined],
  ])('says of %s whether it was written with a query that it does not have any more', (raw, expected) => {
    expect(createCanonicalizer(DEFAULT_CANONICALIZATION)(raw)?.lostQuery).toBe(expected);
  });

  it.each(['file:///share/a.html', 'file://server/share/a.html'])('needs no host for a file: %s', (url) =>
    expect(canonical(DEFAULT_CANONICALIZATION, url)).toBe(url),
  );

  it('resolves a link in a file on the drive of that file', () => {
    const url = createCanonicalizer(DEFAULT_CANONICALIZATION)('/b.html', 'file:///C:/docs/a.html');
    expect(url?.href).toBe('file:///C:/b.html');
  });

  it('returns the fragment separately, whatever the steps do', () => {
    const url = createCanonicalizer(DEFAULT_CANONICALIZATION)('x?PHPSESSID=1#!/route', 'http://a.example/');
    expect([url?.href, url?.fragment]).toEqual(['http://a.example/x', '!/route']);
  });

  it('combines steps: what one step exposes, another one still removes', () => {
    const steps = ['remove-default-document', 'remove-trailing-slash'] as const;
    expect(canonical(steps, 'http://a.example/d/index.html/')).toBe('http://a.example/d');
    expect(canonical(steps, 'http://a.example/d/index.html')).toBe('http://a.example/d');
  });

  it('removes trailing dots, session ids and empty queries by default, and nothing else', () => {
    const raw = 'http://a.example.//D/index.html;jsessionid=1?';
    expect(canonical(DEFAULT_CANONICALIZATION, raw)).toBe('http://a.example//D/index.html');
  });
});
