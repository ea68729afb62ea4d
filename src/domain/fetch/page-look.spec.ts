import { expect, it } from 'vitest';
import { areDistinct, compareLooks, type PageLook, recognizeVisitor } from './page-look.js';

const look = (signs: string, { status = 200, url = 'http://a/' } = {}): PageLook => ({
  status,
  url,
  signs: signs.split(' '),
});

it.each<[string, PageLook, PageLook, PageLook, PageLook]>([
  ['another status', look('news'), look('denied', { status: 403 }), look('news today'), look('no', { status: 403 })],
  [
    'a redirect, whatever its query',
    look('news'),
    look('', { status: 302, url: 'http://a/in?to=%2F' }),
    look('else'),
    look('', { status: 302, url: 'http://a/in?to=%2Fb' }),
  ],
  ['what only members see', look('news logout'), look('news'), look('logout weather'), look('weather')],
  ['what only strangers see', look('news'), look('news login'), look('weather'), look('weather login')],
  ['both', look('hello 12:01 logout'), look('hello 12:02 login'), look('bye 14:00 logout'), look('bye 15:00 login')],
])('members are told from strangers by %s, after the page has changed', (_name, member, stranger, later, gone) => {
  const known = compareLooks(member, stranger);
  expect(areDistinct(known)).toBe(true);
  expect(recognizeVisitor(known, later)).toBe('member');
  expect(recognizeVisitor(known, gone)).not.toBe('member');
});

it('a page that is the same for everybody tells nothing', () => {
  const known = compareLooks(look('news today'), look('today news'));
  expect(areDistinct(known)).toBe(false);
  expect(recognizeVisitor(known, look('news today'))).toBeUndefined();
});

it('a page that is like neither look is not taken for either', () => {
  const known = compareLooks(look('news'), look('', { status: 403 }));
  expect(recognizeVisitor(known, look('', { status: 404 }))).toBeUndefined();
  expect(recognizeVisitor(compareLooks(look('logout'), look('login')), look('maintenance'))).toBeUndefined();
});
