/** Recognizes links that end the visitor's session, by the words that sites of many languages use for them. */

/** Without accents, in lower case; words of several parts with a space. */
const LOGOUT_WORDS = [
  ...['logout', 'logoff', 'signout', 'signoff', 'log out', 'log off', 'sign out', 'sign off', 'end session'],
  ...['endsession', 'abmelden', 'abmeldung', 'ausloggen', 'deconnexion', 'deconnecter', 'se deconnecter'],
  ...['cerrar sesion', 'cerrarsesion', 'desconectar', 'disconnetti', 'disconnettersi', 'terminar sessao'],
  ...['encerrar sessao', 'uitloggen', 'afmelden', 'logga ut', 'loggaut', 'utloggning', 'logg ut', 'loggut', 'log ud'],
  ...['logud', 'kirjaudu ulos', 'uloskirjautuminen', 'wyloguj', 'wylogowanie', 'odhlasit', 'odhlaseni', 'odhlasenie'],
  ...['kijelentkezes', 'deconectare', 'delogare', 'cikis yap', 'oturumu kapat', 'atsijungti', 'iziet', 'logi valja'],
  ...['выход', 'выйти', 'вихід', 'вийти', 'αποσυνδεση', 'ログアウト', '登出', '注销', '退出登录', '로그아웃'],
  ...['تسجيل الخروج', 'התנתק', 'ออกจากระบบ', 'dang xuat'],
].map((word) => word.normalize('NFKD').replace(/\p{M}/gu, ''));

/** What stands before or after the word, in names of programs: `doLogout`, `Special:UserLogout`, `logoutAction`. */
const COMPANIONS = new Set(
  'do user users member account auth session sessions special spezial my j spring security perform com api action servlet handler page view process processor controller asp aspx php jsp jspx html htm cgi pl cfm html5 now all oidc saml saml2 sso cas oauth oauth2 idp slo admin site mod form'.split(
    ' ',
  ),
);

/** Parameters that say where a visitor goes afterwards, or what is searched for. */
const OTHER_PARAMETERS =
  /return|redirect|next|back|target|dest|goto|referr?er|continue|url|uri|search|query|^[qs]$|term/;

const MAX_LENGTH = 2_000;

/** Whether visiting the URL probably ends the session. */
export function looksLikeLogoutUrl(url: URL): boolean {
  if (url.href.length > MAX_LENGTH) return false;
  if (url.pathname.split('/').some(namesLogout)) return true;
  return [...url.searchParams].some(
    ([name, value]) => !OTHER_PARAMETERS.test(name.toLowerCase()) && (namesLogout(name) || namesLogout(value)),
  );
}

/** A text such as "how to log out of the portal" names something else. */
function namesLogout(text: string): boolean {
  if (text === '') return false;
  const words = ` ${toWords(text)} `;
  return LOGOUT_WORDS.some((word) => {
    const at = words.indexOf(` ${word} `);
    if (at < 0) return isGluedWord(words, word);
    const others = `${words.slice(0, at)} ${words.slice(at + word.length + 2)}`.split(' ').filter(Boolean);
    return others.every((other) => COMPANIONS.has(other));
  });
}

/** Names written in one case: `dologout.action`, `userlogout.jsp`. */
function isGluedWord(words: string, word: string): boolean {
  if (word.includes(' ') || !words.includes(word)) return false;
  return words
    .trim()
    .split(' ')
    .every((part) => {
      const at = part.indexOf(word);
      if (at < 0) return COMPANIONS.has(part);
      const around = [part.slice(0, at), part.slice(at + word.length)].filter(Boolean);
      return around.every((other) => COMPANIONS.has(other));
    });
}

const toWords = (text: string): string =>
  decode(text)
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\d]+/gu, ' ')
    .trim();

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
