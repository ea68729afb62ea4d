import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { after, type Instant, instant, minutes } from '../time/units.js';
import { LoginWalls } from './login-wall.js';

const at = (minute: number): Instant => instant(1_700_000_000_000 + minutes(minute));
const page = (n: number) => `https://a.example/doc/${n}`;
const redirected = (walls: LoginWalls, from: string, target: string, now: Instant, indexed = false) =>
  walls.judgeRedirect({ hostKey: 'a.example', from, target, indexed, now });
const redirects = (walls: LoginWalls, target: (n: number) => string, count: number) =>
  Array.from({ length: count }, (_, n) => redirected(walls, page(n), target(n), at(n / 10)));

describe('login walls', () => {
  it('are detected when three pages redirect to one login page, whatever its query', () => {
    const target = (n: number) => `https://login.corp.example/?back=${n}`;
    expect(redirects(new LoginWalls(), target, 4)).toEqual(['normal', 'normal', 'wall', 'wall']);
  });

  it.each(['https://a.example/Login.aspx', 'https://a.example/user/sign-in', 'https://sso.b.example/saml2/idp'])(
    '%s looks like a login page',
    (target) => expect(redirects(new LoginWalls(), () => target, 3).at(-1)).toBe('wall'),
  );

  it.each(['https://a.example/blogin/', 'https://a.example/author', 'https://authority.example/'])(
    '%s does not, so five pages are needed',
    (target) => expect(redirects(new LoginWalls(), () => target, 5)).toEqual([...Array(4).fill('normal'), 'wall']),
  );

  it('are not detected in redirects that each have their own target', () => {
    expect(redirects(new LoginWalls(), (n) => `https://b.example/doc/${n}`, 30)).not.toContain('wall');
  });

  it('are not detected in a redirect to the same page with another query', () => {
    const walls = new LoginWalls();
    for (let n = 0; n < 30; n++) {
      expect(redirected(walls, `https://a.example/list?sid=${n}`, 'https://a.example/list', at(n))).toBe('normal');
    }
  });

  it('neither count nor affect such redirects', () => {
    const walls = new LoginWalls();
    const list = (n: number) => redirected(walls, `https://a.example/list?sid=${n}`, 'https://a.example/list', at(1));
    for (let n = 0; n < 4; n++) list(n);
    expect(redirects(walls, () => 'https://a.example/list', 4)).toEqual(Array(4).fill('normal'));
    expect(redirects(walls, () => 'https://a.example/list', 5).at(-1)).toBe('wall');
    expect(list(99)).toBe('normal');
  });

  it('need different pages: repeated requests for one page are not enough', () => {
    const walls = new LoginWalls();
    for (let n = 0; n < 30; n++) {
      expect(redirected(walls, page(1), 'https://a.example/login', at(n))).toBe('normal');
    }
  });

  it('their own page, which responds, is not one of the pages of the host', () => {
    const walls = new LoginWalls();
    redirected(walls, page(0), 'https://a.example/elsewhere', at(0));
    redirected(walls, page(1), 'https://a.example/login', at(0));
    for (let n = 0; n < 60; n++) walls.recordSuccess('a.example', `https://a.example/login?back=${n}`, at(1));
    expect([2, 3].map((n) => redirected(walls, page(n), 'https://a.example/login', at(1))).at(-1)).toBe('wall');
  });

  it('are not detected where most pages respond themselves', () => {
    const walls = new LoginWalls();
    for (let n = 0; n < 60; n++) {
      walls.recordSuccess('a.example', page(1000 + n), at(n / 2));
      expect(redirected(walls, page(n), 'https://a.example/login', at(n / 2))).toBe('normal');
    }
  });

  it('are detected soon after a good hour when documents are behind them', () => {
    const target = 'https://a.example/maintenance';
    const busy = (): LoginWalls => {
      const walls = new LoginWalls();
      for (let n = 0; n < 60; n++) walls.recordSuccess('a.example', page(1000 + n), at(n / 2));
      return walls;
    };
    const walls = busy();
    const answers = Array.from({ length: 6 }, (_, n) => redirected(walls, page(n), target, at(31), true));
    expect(answers).toEqual([...Array(4).fill('normal'), 'wall', 'wall']);
    expect(redirects(busy(), () => target, 15)).not.toContain('wall');
  });

  it('end when pages respond again', () => {
    const walls = new LoginWalls();
    expect(redirects(walls, () => 'https://a.example/login', 20).at(-1)).toBe('wall');
    for (let n = 0; n < 20; n++) walls.recordSuccess('a.example', page(n), at(3));
    expect(redirected(walls, page(99), 'https://a.example/login', at(4))).toBe('normal');
  });

  it('are limited to their host and the last hour', () => {
    const walls = new LoginWalls();
    redirects(walls, () => 'https://a.example/login', 10);
    const target = 'https://a.example/login';
    expect(walls.judgeRedirect({ hostKey: 'b.example', from: page(1), target, indexed: true, now: at(2) })).toBe(
      'normal',
    );
    expect(redirected(walls, page(99), 'https://a.example/login', at(62))).toBe('normal');
  });

  it('follow the definition for any sequence of visits', () => {
    const visits = fc.array(
      fc.record({
        n: fc.nat(6),
        target: fc.constantFrom(undefined, '/login', '/x'),
        wait: fc.integer({ min: 0, max: 20 }),
        indexed: fc.boolean(),
      }),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(visits, (steps) => {
        const walls = new LoginWalls();
        const seen: { minute: number; n: number; target: string | undefined }[] = [];
        let minute = 0;
        for (const { n, target, wait, indexed } of steps) {
          minute += wait;
          seen.push({ minute, n, target });
          if (target === undefined) walls.recordSuccess('a.example', page(n), at(minute));
          else {
            const recent = seen.filter((visit) => visit.minute > minute - 60).slice(-32);
            const enough = target === '/login' ? 3 : 5;
            const most = (some: typeof seen): boolean => {
              const same = some.filter((visit) => visit.target === target);
              return new Set(same.map((visit) => visit.n)).size >= enough && same.length * 2 > some.length;
            };
            const wall = most(recent) || (indexed && most(recent.slice(1 - 2 * enough)));
            const answer = redirected(walls, page(n), `https://a.example${target}?back=${n}`, at(minute), indexed);
            expect(answer).toBe(wall ? 'wall' : 'normal');
          }
        }
      }),
    );
  });
});

it.each([
  ['without a document says nothing', false, 0, 0],
  ['with a document says that it moves', true, 59, 1],
  ['says nothing after an hour', true, 60, 0],
])('of a host, the redirect of another page %s', (_, indexed, age, others) => {
  const walls = new LoginWalls();
  const now = instant(1_000_000);
  walls.judgeRedirect({ hostKey: 'h.test', from: 'http://h.test/a', target: 'http://h.test/b', indexed, now });
  const redirect = {
    hostKey: 'h.test',
    from: 'http://h.test/c',
    target: 'http://h.test/out',
    now: after(now, minutes(age)),
  };
  expect(walls.findEvidence(redirect, { firstAt: now, since: now })).toEqual({ same: 0, others, targets: others });
});
