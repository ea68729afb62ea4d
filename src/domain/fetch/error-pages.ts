/**
 * Detects error pages that are sent with status 200 ("soft 404") by probing: a host's response to a URL that cannot
 * exist is its error page (after Bar-Yossef, Broder, Kumar and Tomkins, "Sic Transit Gloria Telae", WWW 2004).
 */
import { computeSimhash } from '../content/simhash.js';
import { type CrawlUrl, stripQuery } from '../url/crawl-url.js';
import { decodePercent } from '../url/decode-percent.js';
import { computeUrlKey } from '../url/url-key.js';

/** What is remembered about a page in order to recognize it under any URL. */
export interface PageFingerprint {
  /** 64-bit simhash of the text without the page's URL; the sign does not matter. */
  readonly simhash: bigint;
  /** True if the text has too few words for a simhash, and the number is a digest of those without digits. */
  readonly exact?: boolean;
  readonly title: string;
  /** Length of the text, in characters. */
  readonly length: number;
}

/**
 * Maximum number of bits, out of 64, in which the simhashes of two error pages of one host may differ, because some
 * pages show the time or a counter; with the same title, they may differ more.
 */
const MAX_TEXT_DIFFERENCE = 3;
const MAX_TEXT_DIFFERENCE_WITH_SAME_TITLE = 12;

/** Fraction by which their lengths may differ, and a number of characters by which they may always differ. */
const MAX_LENGTH_SHARE = 0.1;
const LENGTH_SLACK = 200;

/** Shorter page names may be ordinary words in the text. */
const MIN_NAME_LENGTH = 4;

/** Computes the fingerprint of a page; undefined if it has no text. */
export function computeFingerprint(
  page: { readonly title: string; readonly text: string },
  url: CrawlUrl,
): PageFingerprint | undefined {
  const { title, text } = removeUrl(page, url);
  if (text.trim() === '') return undefined;
  const facts = { title, length: text.length };
  // Times, and ids of requests, differ from one error page to the next.
  const simhash = computeSimhash(text, 'without numbers');
  return simhash === undefined
    ? { ...facts, simhash: computeUrlKey(omitIds(text)), exact: true }
    : { ...facts, simhash };
}

/** The words of a short text without times and ids of requests; the text itself if it has no others. */
const omitIds = (text: string): string =>
  (text.match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !/\d/.test(word)).join(' ') || text.trim();

/** Removes the forms in which a page may repeat its own URL, so that one page is recognized under any URL. */
export function removeUrl(
  page: { readonly title: string; readonly text: string },
  url: CrawlUrl,
): { readonly title: string; readonly text: string } {
  const folded = foldCase(`${page.title}\n${page.text}`);
  const repeated = listForms(url).filter((form) => folded.includes(foldCase(form)));
  // Most pages do not repeat their URL, and the pattern is expensive.
  if (repeated.length === 0) return { title: page.title.trim(), text: page.text };
  const pattern = createPattern(repeated);
  return { title: page.title.replace(pattern, ' ').trim(), text: page.text.replace(pattern, ' ') };
}

const foldCase = (text: string): string => text.toLowerCase().toUpperCase();

/**
 * The forms in which an error page may repeat the requested URL: the whole URL, its path or its file name, encoded or
 * decoded; the longest first.
 */
function listForms({ href, host, path, query }: CrawlUrl): readonly string[] {
  const search = query === '' ? '' : `?${query}`;
  const fileName = path.slice(path.lastIndexOf('/') + 1);
  const names = [fileName + search, fileName, fileName.replace(/\.\w+$/, '')].filter(
    (name) => name.length >= MIN_NAME_LENGTH,
  );
  const paths = [path + search, path].filter((form) => form.length > 1);
  const forms = [href, ...paths.flatMap((form) => [host + form, form]), ...names];
  return [...new Set([...forms, ...forms.map(decodePercent)])].sort((a, b) => b.length - a.length);
}

/** Matches the forms as whole words. */
function createPattern(forms: readonly string[]): RegExp {
  const alternatives = forms.map((form) => form.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|');
  const wordCharacter = String.raw`[\p{L}\p{N}]`;
  return new RegExp(`(?:(?<!${wordCharacter})|(?=/))(?:${alternatives})(?!${wordCharacter})`, 'giu');
}

/**
 * Detects a host's error page from its response with status 200 to a URL that cannot exist, and from a page of the host
 * that is known to be good (its home page). Undefined if the two look alike: a host that responds to everything with
 * one page (an application that renders its pages in the browser) has no distinguishable error page.
 */
export function detectErrorPage(probe: PageFingerprint, goodPage: PageFingerprint): PageFingerprint | undefined {
  return isErrorPage(goodPage, probe) ? undefined : probe;
}

/** Whether the page is its host's error page under a different URL. */
export function isErrorPage(page: PageFingerprint, errorPage: PageFingerprint): boolean {
  const hasSameTitle = page.title !== '' && page.title === errorPage.title;
  // An error page may suggest other pages for each URL.
  if (hasSameTitle && hasErrorWords(page.title)) return true;
  if (page.exact || errorPage.exact)
    return page.exact === errorPage.exact && page.simhash === errorPage.simhash && page.title === errorPage.title;
  const maxDifference = Math.max(LENGTH_SLACK, MAX_LENGTH_SHARE * Math.max(page.length, errorPage.length));
  if (Math.abs(page.length - errorPage.length) > maxDifference) return false;
  return (
    countDifferingBits(page.simhash, errorPage.simhash) <=
    (hasSameTitle ? MAX_TEXT_DIFFERENCE_WITH_SAME_TITLE : MAX_TEXT_DIFFERENCE)
  );
}

function countDifferingBits(a: bigint, b: bigint): number {
  let bitCount = 0;
  for (let remaining = BigInt.asUintN(64, a ^ b); remaining !== 0n; remaining &= remaining - 1n) bitCount++;
  return bitCount;
}

/** Maximum length of a text that is searched for the words of an error page, whose text is short. */
const MAX_SEARCHED_TEXT = 2_000;

/** For texts in lower case, which are matched in half the time of an expression that ignores case. */
const ERROR_WORDS = new RegExp(
  [
    String.raw`\b404\b`,
    "(?:not|cannot|can[’']t|couldn[’']t) be found|not[ _-]?found|\\bcannot get /|(?:could not|couldn[’']t|can[’']t|cannot) find",
    "(?:does not|doesn[’']t|no longer) exist|no longer available|\\boops\\b",
    'nicht (?:gefunden|vorhanden|verfügbar)|existiert nicht|gibt es nicht',
    "introuvable|n[’']existe (?:pas|plus)|n[’']a pas été trouvé|no s[’']ha trobat|no (?:encontrad|existe|se ha encontrado)",
    'non (?:trovat|esiste|è stat[ao] trovat)|não (?:encontrad|existe)|nu (?:a fost g[ăa]sit|există)',
    'niet gevonden|bestaat niet|hittades inte|finns inte|ikke fundet|ikke funnet|findes ikke|finnes ikke|fannst ekki|ei löydy',
    'nie (?:znaleziono|istnieje)|nenalezen|nenašl|neexistuje|nem (?:található|létezik)|nije prona|ne postoji|ni mogoče najti',
    'не найден|не существует|нет такой страниц|не знайден|не існує|не е намерен|није прона|bulunamad|ei leitud|nerast|nav atrast',
    'δεν (?:βρέθηκε|υπάρχει)|غير موجود|لم يتم العثور|یافت نشد|לא נמצא|नहीं मिल',
    '見つかりません|存在しません|不存在|找不到|未找到|찾을 수 없|존재하지 않|ไม่พบ|không (?:tìm thấy|tồn tại)|tidak ditemukan',
  ].join('|'),
  'u',
);

/** Whether a page sent with status 200 has the words of an error page, so that its host is worth a probe. */
export const looksLikeErrorPage = ({ title, text }: { readonly title: string; readonly text: string }): boolean =>
  hasErrorWords(title) || (text.length <= MAX_SEARCHED_TEXT && hasErrorWords(text));

const hasErrorWords = (text: string): boolean => ERROR_WORDS.test(text.toLowerCase());

const OUTAGE_WORDS = new RegExp(
  [
    String.raw`\b(?:temporarily|currently|momentarily) (?:unavailable|not available|closed|down|offline|out of service)\b`,
    String.raw`\b(?:down|closed|offline|unavailable) (?:for|due to) (?:\w+ )?(?:maintenance|upgrades?|works?)\b`,
    String.raw`\b(?:under|scheduled|planned|routine|ongoing|performing|undergoing) (?:\w+ )?maintenance\b|^\W*maintenance\b|\bmaintenance mode\b`,
    String.raw`\bback (?:soon|shortly|in a few|online)\b|\btry again (?:later|in a|soon)|\b(?:service|site|server|website) (?:is )?(?:temporarily )?(?:unavailable|down|offline|overloaded)\b`,
    String.raw`\b(?:server|database|fatal|critical|general|runtime|application|gateway|unexpected|technical|sql) error\b|\bsomething went wrong\b|\btechnical (?:difficulties|problems)\b`,
    String.raw`\b(?:bad gateway|gateway time-?out|backend fetch failed|guru meditation)\b|\blimit (?:is |has been )?(?:reached|exceeded)\b|\berror (?:has )?occurred\b|\berror processing your request\b`,
    'kritische[nr]? fehler|datenbankverbindung|erreur critique|error crítico|errore critico|erro crítico|kritieke fout|błąd krytyczny|критическая ошибка|重大なエラー',
    String.raw`\berror establishing a|\bSQLSTATE\b|\bstack trace\b|\bTraceback \(most recent|\b(?:mysqli?|pg|odbc)_\w+\(|\bconnection (?:refused|timed out|reset)\b|\bupstream\b|\btoo many (?:requests|connections)\b`,
    String.raw`\bsession (?:has )?(?:expired|timed out)|\b(?:license|licence|subscription) (?:has )?expired|\baccount (?:has been )?suspended\b|\baccess denied\b`,
    String.raw`\b(?:domain|name) (?:\w+ )*(?:for sale|parked|expired)\b|\bparked\b|\bwelcome to nginx\b|\bit works!|\bdefault (?:web )?page\b`,
    'wartung|vorübergehend (?:nicht|geschlossen)|(?:gleich|bald|in kürze) (?:wieder|zurück)|später (?:erneut|noch ?ein)|technische[ns]? (?:störung|problem|fehler)',
    'en (?:cours de )?maintenance|pour maintenance|maintenance en cours|(?:temporairement|momentanément) (?:indisponible|ferm)|réessayer plus tard|de retour',
    'mantenimiento|temporalmente (?:no|fuera)|vuelva a intentarlo|manutenzione|temporaneamente non|manutenção|temporariamente (?:in|fora)',
    'onderhoud|tijdelijk niet|underhåll|tillfälligt (?:otill|stängd)|vedligehold|midlertidig|vedlikehold|huolto',
    'konserwac|przerwa techniczna|chwilowo niedost|údržb|dočasně nedost|karbantart|átmenetileg|bakım|geçici olarak',
    'техническ(?:ие|ое|ий) (?:работы|обслуж|перерыв)|временно недоступ|технічні роботи|тимчасово недоступ|συντήρηση',
    'メンテナンス|一時的に|维护|維護|暂时(?:无法|关闭)|점검|صيانة|תחזוקה',
  ].join('|'),
  'iu',
);

/**
 * Whether a page has words with which servers say that they cannot show it for now. Other pages have them, too, so they
 * only say where it is worth to look twice.
 */
export const namesOutage = ({ title, text }: { readonly title: string; readonly text: string }): boolean =>
  text.length <= MAX_SEARCHED_TEXT && (OUTAGE_WORDS.test(title) || OUTAGE_WORDS.test(text));

/** Places in programs, as runtimes write them: Java and .NET, Python, PHP, and by file name. */
const TRACE_LINE =
  /\bat [\w$.<>]{3,200}\([\w$.: ]{1,100}\)|\bFile "[^"\n]{1,200}", line \d|\bon line \d|:line \d|#\d [\w./\\:-]{3,200}\(\d|\.(?:rb|jsx?|mjs|ts|go|py|php|pl):\d/;

/** Whether a text begins with the places in a program at which it failed; documentation does, too. */
export const showsTrace = (text: string): boolean => TRACE_LINE.test(text.slice(0, MAX_SEARCHED_TEXT));

const ERROR_NAME = new RegExp(
  '^(?:(?:error|err|http|status|page|custom|erreur|errore|fehler(?:seite)?)[-_]?[45]\\d\\d|' +
    '[45]\\d\\d[-_]?(?:error|page|erreur|errore|fehler(?:seite)?)|' +
    '(?:404[-_]?)?(?:(?:page|file|url|resource|content)[-_]?)?not[-_]?found(?:[-_]?(?:error|page))?|' +
    '(?:seite[-_]?)?nicht[-_]?gefunden|(?:page[-_]?)?(?:introuvable|non[-_]?trouvee)|(?:strona[-_]?)?nie[-_]?znalezion[oay]|' +
    '(?:pagina[-_]?)?(?:no[-_]?encontrada|non[-_]?trovata|nao[-_]?encontrada|niet[-_]?gevonden))$',
  'i',
);
/** Names that other pages have, too: a chapter on errors, an article with the number 404, a service named maintenance. */
const VAGUE_ERROR_NAME =
  /^(?:[45]\d\d|errors?|error[-_]?page|fehler(?:seite)?|erreur|oops|sorry|down|offline|outage|unavailable|(?:under[-_]?)?maintenance|wartung(?:sarbeiten)?|mantenimiento|manutenzione)$/i;
/** A query in which a server keeps the missing address. */
const ORIGIN_QUERY = /^[^&=]{1,40}=(?:\/|%2f|https?(?::|%3a))/i;

/** Whether a page, reached by a redirect alone, is where visitors are sent whose page is missing or cannot be shown. */
export function isErrorAddress(
  { path, query }: CrawlUrl,
  page: { readonly title: string; readonly text: string },
): boolean {
  const segment = path.slice(path.lastIndexOf('/', path.length - 2) + 1).replace('/', '');
  const dot = segment.lastIndexOf('.');
  const name = dot >= 0 && /^\w+$/.test(segment.slice(dot + 1)) ? segment.slice(0, dot) : segment;
  return (
    ERROR_NAME.test(name) ||
    (VAGUE_ERROR_NAME.test(name) && (ORIGIN_QUERY.test(query) || looksLikeErrorPage(page) || namesOutage(page)))
  );
}

/**
 * Creates a URL that cannot exist, next to the given one, so that the same part of the site responds to it. `token` is
 * a random string of letters and digits, so that no site can anticipate it.
 */
export function createImpossibleUrl(url: string, token: string): string {
  const path = stripQuery(url);
  return `${path.slice(0, path.lastIndexOf('/') + 1)}${token}.html`;
}
