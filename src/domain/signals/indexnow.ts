/**
 * The IndexNow protocol (indexnow.org): a site reports which of its URLs have changed, and proves its identity with a
 * file.
 */

export interface IndexNowSubmission {
  /** In lower case, with the port if the URLs have one. */
  readonly host: string;
  readonly key: string;
  readonly urls: readonly string[];
  /** URL of the site's key file; URLs below its folder may be submitted with the key. */
  readonly keyLocation: string;
}

/** Status codes of the protocol and their meanings. */
export const INDEXNOW_STATUSES = {
  200: 'The URLs are queued.',
  202: 'The URLs are accepted; the key will be checked as soon as the host may be contacted.',
  400: 'The request is malformed.',
  403: 'The key file is not on the site, or contains a different key.',
  422: 'A URL does not belong to the host, the host is not crawled by this server, or the key does not conform to the protocol.',
  429: 'Too many URLs of the host were submitted within an hour, or too many wrong keys.',
} as const;

export type IndexNowStatus = keyof typeof INDEXNOW_STATUSES;

export interface IndexNowResponse {
  readonly status: IndexNowStatus;
  readonly message: string;
}

export const MAX_INDEXNOW_URLS = 10_000;
const MAX_URL_LENGTH = 2_048;
const KEY_PATTERN = /^[A-Za-z0-9-]{8,128}$/;

const createRefusal = (status: IndexNowStatus, message: string): IndexNowResponse => ({ status, message });

/** @param input the members of the JSON body, or a GET's query parameters in the same form (`url` for one URL) */
export function parseIndexNow(input: unknown): IndexNowSubmission | IndexNowResponse {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return createRefusal(400, 'send {"host", "key", "urlList"} as JSON, or url and key as query parameters');
  const { host, key, keyLocation, urlList, url } = input as Record<string, unknown>;
  const urls = url === undefined ? urlList : [url];
  if (!isStringList(urls)) return createRefusal(400, 'urlList must be a list of at least one URL');
  if (urls.length > MAX_INDEXNOW_URLS)
    return createRefusal(400, `at most ${MAX_INDEXNOW_URLS} URLs may be submitted in one call`);
  if (typeof key !== 'string' || key === '') return createRefusal(400, 'key is missing');
  if (keyLocation !== undefined && typeof keyLocation !== 'string')
    return createRefusal(400, 'keyLocation must be a URL');
  if (host !== undefined && typeof host !== 'string') return createRefusal(400, 'host must be a string');
  if (!KEY_PATTERN.test(key)) return createRefusal(422, 'a key must consist of 8 to 128 letters, digits and dashes');
  const firstUrl = parseWebUrl(urls[0]!);
  if (!firstUrl) return createRefusal(422, `${urls[0]!.slice(0, 200)} is not an http or https URL`);
  const site = host === undefined ? firstUrl.host : host.toLowerCase();
  return validateSubmission({ site, key, urls, firstUrl, keyLocation });
}

interface SubmissionInput {
  readonly site: string;
  readonly key: string;
  readonly urls: readonly string[];
  readonly firstUrl: URL;
  readonly keyLocation: string | undefined;
}

function validateSubmission({
  site,
  key,
  urls,
  firstUrl,
  keyLocation,
}: SubmissionInput): IndexNowSubmission | IndexNowResponse {
  const location = parseWebUrl(keyLocation ?? `${firstUrl.origin}/${key}.txt`);
  if (!location || !isOnSite(location, site) || location.host !== firstUrl.host)
    return createRefusal(422, 'keyLocation is not on the host of the URLs');
  if (!isKeyFile(location))
    return createRefusal(422, 'keyLocation must be a text file: a path that ends in .txt, without a query');
  const folder = location.pathname.slice(0, location.pathname.lastIndexOf('/') + 1);
  for (const urlText of urls) {
    const url = parseWebUrl(urlText);
    if (!url || !isOnSite(url, site) || url.host !== firstUrl.host)
      return createRefusal(422, `${urlText.slice(0, 200)} is not a URL of the host ${site}`);
    if (!url.pathname.startsWith(folder))
      return createRefusal(422, `${url.href.slice(0, 200)} is not below the folder of the key file`);
  }
  return { host: firstUrl.host, key, urls, keyLocation: location.href };
}

/**
 * Sites write their host with or without its port. A different port may belong to someone else, so all URLs of a call
 * must have the same one.
 */
const isOnSite = (url: URL, site: string): boolean => url.host === site || url.hostname === site;

/**
 * The crawler requests this file, and anyone may name it, so the URL must neither trigger an action nor echo the
 * request.
 */
const isKeyFile = ({ pathname, search }: URL): boolean => /\.txt$/i.test(pathname) && search === '';

function parseWebUrl(urlText: string): URL | undefined {
  const url = urlText.length > MAX_URL_LENGTH ? null : URL.parse(urlText);
  return url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' ? url : undefined;
}

const isStringList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string');

/** Whether a key file contains the key and nothing else; some editors put a byte order mark before it. */
export const containsKey = (text: string, key: string): boolean => text.replace(/^\uFEFF/, '').trim() === key;
