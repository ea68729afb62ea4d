/** Fluid Dynamics Search Engine: search.pending.txt (URL, realm, state), or any list whose lines begin with a URL. */
import {
  createCrawler,
  ImportError,
  type ImportedCrawler,
  type ImportFile,
  type ImportReport,
  isUrl,
  pluralize,
} from '../model.js';
import { type Node, parseList } from '../tree.js';

/** Maximum number of roots. A longer list should be submitted, with crawlway submit or as the pending file itself. */
const MAX_ROOTS = 1_000;

export function readFdse(files: readonly ImportFile[], report: ImportReport): ImportedCrawler[] {
  const lines = files.flatMap((file) => parseList(file, report).children).filter(({ text }) => isUrl(readUrl(text)));
  if (lines.length === 0) throw new ImportError(`${files[0]?.name ?? 'the file'} contains no URLs`);
  report.coverAll(lines);
  const realms = new Map<string, Node[]>();
  for (const line of lines) {
    const { realm } = readLine(line.text);
    const list = realms.get(realm);
    if (list) list.push(line);
    else realms.set(realm, [line]);
  }
  report.reportSkipped('settings of the realm', 'write LinkRules with dialect="fdse" for that engine\'s link rules');
  return [...realms].map(([realm, list]) => toCrawler(realm, list, report));
}

/** The name of a realm may have several words; the state is a number at the end. */
function readLine(text: string): { url: string; realm: string; state: string | undefined } {
  const [, url = '', realm = '', state] = /^([^\s|]+)[\s|]*(.*?)(?:[\s|]+(\d+))?$/.exec(text.trim()) ?? [];
  return { url, realm, state };
}
const readUrl = (text: string): string => readLine(text).url;

/** In the third column: 0 waits, 2 could not be read, and a time in seconds since 1970 is that of the last visit. */
function reportStates(lines: readonly Node[], report: ImportReport): void {
  const states = lines.map(({ text }) => readLine(text).state);
  const count = (test: (state: string) => boolean): number =>
    states.filter((state) => state !== undefined && test(state)).length;
  const errors = count((state) => state === '2');
  const visited = count((state) => /^\d{6,}$/.test(state));
  const note = 'PUT /crawlers/{c}/pending takes the file with its states';
  if (errors > 0)
    report.reportChanged(`${pluralize(errors, 'URL')} in error`, `visited again as roots; ${note}`, lines[0]);
  if (visited > 0)
    report.reportChanged(`${pluralize(visited, 'time')} of last visits`, `visited at once; ${note}`, lines[0]);
}

/** Each realm is a crawler, since realms are searched separately. */
function toCrawler(realm: string, lines: readonly Node[], report: ImportReport): ImportedCrawler {
  const urls = [...new Set(lines.map(({ text }) => readUrl(text)))];
  const sites = [...new Set(urls.map((url) => `${new URL(url).origin}/`))];
  const crawler = createCrawler(realm === '' ? 'fdse' : realm);
  const of = realm === '' ? '' : ` of realm ${realm}`;
  crawler.roots = (urls.length > MAX_ROOTS ? sites : urls).slice(0, MAX_ROOTS);
  crawler.staysOnSite = urls.length > MAX_ROOTS;
  if (!crawler.staysOnSite) {
    crawler.rules = sites.map((value) => ({ accept: true, pattern: { kind: 'prefix', value } }));
    report.reportTaken(`${pluralize(urls.length, 'URL')}${of}`, 'roots; their sites are accepted', lines[0]);
  } else
    report.reportChanged(
      `${pluralize(urls.length, 'URL')}${of}`,
      `the ${sites.length} sites as roots; PUT /crawlers/{c}/pending accepts the whole file with its states`,
      lines[0],
    );
  reportStates(lines, report);
  return crawler;
}
