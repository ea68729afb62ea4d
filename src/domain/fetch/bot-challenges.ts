/**
 * Recognizes pages that a bot protection shows instead of the requested page, by their headers and by the structure of
 * their markup: which script they load or begin with, where their form or frame leads. Text that quotes such markup is
 * escaped, or inside an element that contains no markup, and is therefore never recognized.
 */

/** By header, which values mean that this response is a challenge. */
const CHALLENGE_HEADERS: readonly (readonly [name: string, value: RegExp, product: string])[] = [
  ['cf-mitigated', /challenge/i, 'Cloudflare'],
  ['x-amzn-waf-action', /challenge|captcha/i, 'AWS WAF'],
  ['x-vercel-mitigated', /challenge/i, 'Vercel'],
  ['sg-captcha', /challenge/i, 'SiteGround'],
];

/** Returns the product that sent a challenge instead of the page. */
export function findChallengeHeader(headers: Readonly<Record<string, string>>): string | undefined {
  for (const [name, value, product] of CHALLENGE_HEADERS) {
    const field = headers[name];
    if (field !== undefined && value.test(field)) return product;
  }
  return undefined;
}

/** Returns the product that sent a challenge, recognized by its headers or its page. */
export const findChallenge = (response: {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}): string | undefined => findChallengeHeader(response.headers) ?? findChallengePage(response.body);

interface Interstitial {
  readonly product: string;
  /** What every such page contains; searched for first, all of them at once, because it is fast. */
  readonly mark: string;
  /** `url`: of a script, form, frame or refresh; `script`: the text of a script; `id`: of an element. */
  readonly part: 'url' | 'script' | 'id';
  readonly pattern: RegExp;
  /** Set if ordinary pages of the product's customers contain the same, so that only an empty page is a challenge. */
  readonly isOnEveryPage?: true;
}

const define =
  (part: Interstitial['part']) =>
  (product: string, mark: string, pattern: RegExp): Interstitial => ({ product, mark, part, pattern });
const [url, script, id] = [define('url'), define('script'), define('id')];

const INTERSTITIALS: readonly Interstitial[] = [
  script('Cloudflare', '_cf_chl_opt', /^\s*(?:\(function\s*\(\)\s*\{\s*)?window\._cf_chl_opt\s*=/),
  url('Cloudflare', '/orchestrate/', /\/cdn-cgi\/challenge-platform\/h\/[a-z]\/orchestrate\//),
  url('Cloudflare', '__cf_chl_', /[?&]__cf_chl_\w+=/),
  url('Cloudflare', '/cdn-cgi/l/chk_', /^\/cdn-cgi\/l\/chk_(?:jschl|captcha)/),
  script('AWS WAF', 'gokuProps', /^\s*(?:window\.awsWafCookieDomainList\s*=[^;]{0,500};\s*)?window\.gokuProps\s*=/),
  url('DataDome', 'captcha-delivery.com', /^(?:https?:)?\/\/[\w.-]{0,60}captcha-delivery\.com\//),
  { ...url('Imperva', '_Incapsula_Resource', /^\/_Incapsula_Resource\?/), isOnEveryPage: true },
  url('Akamai', '/_sec/', /^\/_sec\/(?:cp_challenge|verify)/),
  url('Akamai', 'bm-verify=', /[?&]bm-verify=/),
  script('Alibaba Cloud', 'acw_sc__v2', /^\s*var\s+arg1\s*=\s*'[0-9A-F]{40}'/),
  id('Imunify360', 'wsidchk', /^wsidchk-form$/),
  url('Imperva', '/distil_r_', /^\/distil_r_(?:captcha|blocked)/),
  url('StackPath', '/sbbi/', /^\/sbbi\/\?sbbpg=/),
  url('go-away', 'go-away/cmd/challenge', /\/go-away\/cmd\/challenge\//),
  url('HUMAN', 'captcha.px-', /^(?:https?:)?\/\/captcha\.px-(?:cdn|cloud)\.net\//),
  id('HUMAN', 'px-captcha', /^px-captcha$/),
  url('Kasada', '2d206a39-8ed7-437e', /\/149e9513-01fa-4fb0-aad4-566afd725d1b\/2d206a39-8ed7-437e-a3be-862e0f06eea3\//),
  script('Sucuri', 'sucuri_cloudproxy_js', /^\s*(?:var\s+\w=\w?\s*;\s*)?sucuri_cloudproxy_js\s*=/),
  url('DDoS-Guard', 'ddos-guard/', /^\/\.well-known\/ddos-guard\//),
  url('Anubis', '/cmd/anubis/', /\/\.within\.website\/x\/cmd\/anubis\//),
  url('SiteGround', 'sgcaptcha', /\/\.well-known\/sgcaptcha\//),
  url('Fastly', '/_fs-ch-', /^\/_fs-ch-\w+\//),
  url('Radware', 'perfdrive.com', /^(?:https?:)?\/\/validate\.perfdrive\.com\//),
  url('Qrator', '__qrator', /^\/__qrator\//),
  { ...url('F5', '/TSPD/', /^\/TSPD\//), isOnEveryPage: true },
];

const ANY_MARK = new RegExp(INTERSTITIALS.map(({ mark }) => mark.replaceAll('.', String.raw`\.`)).join('|'));

/** In bytes; the interstitials are small pages of their own. */
const MAX_CHALLENGE_SIZE = 64 * 1024;
/** In characters; an interstitial says little, and a page that has more text than that is a page. */
const MAX_CHALLENGE_TEXT = 2_000;
/** An interstitial leads nowhere but to its product, help and terms; of pages with little text, most are lists of links. */
const MAX_CHALLENGE_LINKS = 20;
/** In characters, for what ordinary pages contain, too. */
const MAX_EMPTY_TEXT = 200;

/** Comments, elements that contain no markup, scripts, and tags with a URL or an id. */
const MARKUP =
  /<!--[\s\S]*?(?:-->|$)|<(textarea|title|style|xmp|noembed|noframes|template)\b[\s\S]*?(?:<\/\1|$)|<script\b([^>]{0,4000})>([\s\S]*?)(?:<\/script|$)|<(?:form|iframe|meta|div)\b([^>]{0,4000})>/gi;
const URL_ATTRIBUTE = /\s(?:src|action|content)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i;
const ID_ATTRIBUTE = /\sid\s*=\s*["']?([\w-]+)/i;

/** Whether a page with so much text (in characters) and so many links may be a challenge, and is worth looking at. */
export const mayBeChallenge = (textLength: number, linkCount: number): boolean =>
  textLength <= MAX_CHALLENGE_TEXT && linkCount <= MAX_CHALLENGE_LINKS;

/** Returns the product whose challenge the page is; undefined for every other page, whatever its text. */
export function findChallengePage(body: Uint8Array): string | undefined {
  if (body.length === 0 || body.length > MAX_CHALLENGE_SIZE) return undefined;
  const page = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1');
  if (!ANY_MARK.test(page)) return undefined;
  const match = INTERSTITIALS.find((candidate) => page.includes(candidate.mark) && hasPart(page, candidate));
  if (!match) return undefined;
  const maxText = match.isOnEveryPage ? MAX_EMPTY_TEXT : MAX_CHALLENGE_TEXT;
  return countText(page) <= maxText ? match.product : undefined;
}

function hasPart(page: string, { part, pattern }: Interstitial): boolean {
  for (const [, , scriptAttributes, scriptText, tagAttributes] of page.matchAll(MARKUP)) {
    const attributes = ` ${scriptAttributes ?? tagAttributes ?? ''}`;
    if (part === 'script' && isProgram(attributes) && pattern.test(scriptText ?? '')) return true;
    if (part === 'id' && pattern.test(ID_ATTRIBUTE.exec(attributes)?.[1] ?? '')) return true;
    if (part === 'url' && pattern.test(readUrl(attributes))) return true;
  }
  return false;
}

/** The URL of a script, form or frame, or the one to which a meta refresh leads. */
function readUrl(attributes: string): string {
  const [, double, single, bare] = URL_ATTRIBUTE.exec(attributes) ?? [];
  return (double ?? single ?? bare ?? '').replace(/^\s*\d+\s*[;,]\s*(?:url\s*=\s*)?/i, '');
}

/** Whether a script is run; data blocks (JSON, templates) may quote anything. */
const isProgram = (attributes: string): boolean =>
  !/\stype\s*=\s*["']?(?!(?:text|application)\/javascript|module)[\w+./-]+/i.test(attributes);

const countText = (page: string): number =>
  page
    .replace(/<!--[\s\S]*?(?:-->|$)|<(script|style|noscript|title)\b[\s\S]*?(?:<\/\1\b[^>]{0,100}>|$)/gi, ' ')
    .replace(/<[^>]{0,4000}>/g, ' ')
    .replace(/\s+/g, ' ').length;
