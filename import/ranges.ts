/** Keeps imported values within what the configuration accepts, which would not load otherwise. */
import { type ImportedCrawler, type ImportReport, isUrl } from './model.js';

const MAXIMUM = 2_147_483_647;

/** The smallest and the largest value of each attribute that readers copy. */
const RANGES: Readonly<Record<string, readonly [minimum: number, maximum: number]>> = {
  nthreads: [1, 1000],
  throttleTimeMS: [0, MAXIMUM],
  smartRefreshMinAgeS: [0, MAXIMUM],
  smartRefreshMaxAgeS: [1, MAXIMUM],
  maxSizeBytes: [1, Number.MAX_SAFE_INTEGER],
  maxRedirects: [0, 100],
  maxTemporaryErrors: [0, 10_000],
  retryDelayS: [1, MAXIMUM],
  maxUrlLength: [1, 65_536],
  maxPathDepth: [1, 1000],
  maxLinksPerPage: [1, 1_000_000],
  maxRepeatedSegments: [1, 1000],
};
const TIMEOUT = /^\w+TimeoutMS$/;

/** What these attributes are if nothing sets them. */
const STANDARD = { smartRefreshMinAgeS: 3600, smartRefreshMaxAgeS: 604_800, maxRetryDelayS: 86_400 };

export function fitToRanges(crawler: ImportedCrawler, report: ImportReport): void {
  const { attributes, fetcher, parts } = crawler;
  for (const values of [attributes, fetcher, ...Object.values(parts)])
    for (const [name, text] of Object.entries(values)) fitValue(values, name, Number(text), report);
  if (crawler.maxHops !== undefined) crawler.maxHops = clamp(crawler.maxHops, 0, 65_535);
  fitRelations(crawler);
}

const joinLines = (text: string): string =>
  text
    .split(/\p{Cc}/u)
    .map((line) => line.trim())
    .filter(Boolean)
    .join(' ');

/** Texts are sent in one line, addresses have a scheme, and users in those of roots are not copied. */
export function fitTexts(crawler: ImportedCrawler, report: ImportReport): void {
  const { fetcher, headers, sink } = crawler;
  for (const values of [fetcher, headers])
    for (const [name, text] of Object.entries(values)) values[name] = joinLines(text);
  if (fetcher['userAgent'] === '') delete fetcher['userAgent'];
  if (sink && !/^(?:file|warc)$/.test(sink.type) && !isUrl(sink.url)) {
    report.reportSkipped(
      `Sink ${sink.url}`,
      'it is not a URL, so documents go to documents.jsonl until you change the Sink',
    );
    delete crawler.sink;
  }
  crawler.roots = crawler.roots.map((root) => {
    const url = URL.parse(root);
    if (!url?.username && !url?.password) return root;
    url.username = url.password = '';
    report.reportSkipped(`the user of ${url.href}`, 'write a Credential in the Fetcher; passwords are not copied');
    return url.href;
  });
}

const clamp = (value: number, minimum: number, maximum: number): number =>
  Math.min(maximum, Math.max(minimum, Math.round(value)));

function fitValue(values: Record<string, string>, name: string, value: number, report: ImportReport): void {
  const isTimeout = TIMEOUT.test(name);
  if (isTimeout && value === 0) {
    delete values[name];
    return void report.reportChanged(`${name} 0`, 'there is always a time limit: it keeps its default');
  }
  const [minimum, maximum] = RANGES[name] ?? (isTimeout ? [1, MAXIMUM] : []);
  if (minimum === undefined || maximum === undefined) return;
  const fitting = clamp(value, minimum, maximum);
  if (fitting === value) return;
  values[name] = String(fitting);
  report.reportChanged(`${name} ${value}`, `${fitting}: it is a whole number from ${minimum} to ${maximum}`);
}

/** A maximum is not below its minimum, whichever of the two was set. */
function fitRelations({ attributes, parts: { ErrorPolicy } }: ImportedCrawler): void {
  const read = (values: Record<string, string>, name: keyof typeof STANDARD): number =>
    Number(values[name] ?? STANDARD[name]);
  if (read(attributes, 'smartRefreshMinAgeS') > read(attributes, 'smartRefreshMaxAgeS')) {
    if (attributes['smartRefreshMaxAgeS'] === undefined)
      attributes['smartRefreshMaxAgeS'] = attributes['smartRefreshMinAgeS']!;
    else attributes['smartRefreshMinAgeS'] = attributes['smartRefreshMaxAgeS'];
  }
  const delay = ErrorPolicy?.['retryDelayS'];
  if (delay !== undefined && Number(delay) > read(ErrorPolicy!, 'maxRetryDelayS'))
    ErrorPolicy!['maxRetryDelayS'] = delay;
}
