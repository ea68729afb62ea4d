import fc from 'fast-check';
import { expect, it } from 'vitest';
import { looksLikeLogoutUrl } from './logout-urls.js';

const looks = (path: string): boolean => looksLikeLogoutUrl(new URL(path, 'https://www.example.com'));

it.each([
  '/logout',
  '/index.php?action=logout',
  '/index.php?do=logout&sectok=abc',
  '/index.php?title=Special:UserLogout',
  '/index.php?title=Spezial:Abmelden',
  '/Special:UserLogout',
  '/user.php?mode=logout',
  '/index.php?option=com_users&task=user.logout',
  '/dologout.action',
  '/doLogout',
  '/userDoLogout',
  '/userlogout.jsp',
  '/account/abmelden',
  '/users/sign_out',
  '/log_off.aspx',
  '/session?_method=delete&logout=1',
  '/j_spring_security_logout',
  '/names.nsf?Logout',
  '/wp-login.php?action=logout&_wpnonce=1',
  '/oauth2/sign_out?rd=%2F',
  '/realms/a/protocol/openid-connect/logout?redirect_uri=x',
  '/d%C3%A9connexion',
  '/se-d%C3%A9connecter',
  '/cerrar-sesi%C3%B3n',
  '/uitloggen',
  '/logga-ut',
  '/kirjaudu-ulos',
  '/wyloguj',
  '/odhl%C3%A1sit',
  '/odhl%C3%A1sen%C3%AD',
  '/%D0%B2%D1%8B%D1%85%D0%BE%D0%B4',
  '/%E3%83%AD%E3%82%B0%E3%82%A2%E3%82%A6%E3%83%88',
  '/%E7%99%BB%E5%87%BA',
  '/%EB%A1%9C%EA%B7%B8%EC%95%84%EC%9B%83',
])('%s ends a session', (path) => {
  expect(looks(path)).toBe(true);
});

it.each([
  '/',
  '/blog-offers',
  '/blog/off-topic',
  '/help/how-to-log-out-of-the-portal',
  '/login?next=/logout',
  '/index.php?title=Special:UserLogin&returnto=Special:UserLogout',
  '/search?q=logout',
  '/catalogue/out',
  '/products/signoffice',
  '/design-out-of-control',
  '/backlog/office',
  '/wiki/Logout_problems_in_version_3',
])('%s does not', (path) => {
  expect(looks(path)).toBe(false);
});

it('wherever a word for leaving stands in a path of one part, the URL ends a session', () => {
  const word = fc.constantFrom('logout', 'SignOut', 'log_off', 'Abmelden', 'se-d%C3%A9connecter');
  fc.assert(fc.property(fc.webUrl(), word, (site, text) => looksLikeLogoutUrl(new URL(`/${text}`, site))));
});

it('any URL can be asked', () => {
  const url = fc.webUrl({ withQueryParameters: true, withFragments: true });
  fc.assert(fc.property(url, (href) => typeof looksLikeLogoutUrl(new URL(href)) === 'boolean'));
});
