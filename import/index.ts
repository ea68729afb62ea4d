/**
 * Converts configurations of other crawlers to CrawlConfig.xml, and reports what became of each setting. It knows nothing
 * of the rest of the program, which loads it only for `crawlway import`.
 */

import { readDocSearch } from './formats/docsearch.js';
import { readElastic } from './formats/elastic.js';
import { readFdse } from './formats/fdse.js';
import { readFess } from './formats/fess.js';
import { readGsa } from './formats/gsa.js';
import { explainHeritrix, readHeritrix } from './formats/heritrix.js';
import { readManifoldCf } from './formats/manifoldcf.js';
import { readMnogosearch } from './formats/mnogosearch.js';
import { readNorconex } from './formats/norconex.js';
import { explainNutch, isOtherFile, readNutch } from './formats/nutch.js';
import { readOmniFind } from './formats/omnifind.js';
import { explainScrapy, readScrapy } from './formats/scrapy.js';
import { readStormCrawler } from './formats/stormcrawler.js';
import { readVelocity } from './formats/velocity.js';
import { IMPORT_FORMATS } from './formats.js';
import {
  ImportError,
  type ImportedCrawler,
  type ImportFile,
  type ImportReader,
  ImportReport,
  type Match,
  type ReadBeside,
} from './model.js';
import { matchesAnything } from './patterns.js';
import { fitTexts, fitToRanges } from './ranges.js';
import type { Node } from './tree.js';
import { renderConfiguration } from './write.js';

export { ImportError };

const READERS: Readonly<Record<(typeof IMPORT_FORMATS)[number], ImportReader>> = {
  norconex: readNorconex,
  nutch: readNutch,
  elastic: readElastic,
  stormcrawler: readStormCrawler,
  heritrix: readHeritrix,
  gsa: readGsa,
  scrapy: readScrapy,
  fess: readFess,
  omnifind: readOmniFind,
  velocity: readVelocity,
  fdse: readFdse,
  mnogosearch: readMnogosearch,
  dataparksearch: readMnogosearch,
  docsearch: readDocSearch,
  algolia: readDocSearch,
  manifoldcf: readManifoldCf,
};

/** Why formats do not take what their readers leave. */
const EXPLANATIONS: Partial<Record<keyof typeof READERS, (node: Node) => string | undefined>> = {
  nutch: explainNutch,
  heritrix: explainHeritrix,
  scrapy: explainScrapy,
};

/**
 * Returns the converted configuration as XML, and a report of what was converted. Throws ImportError if the format is
 * unknown or the files are not in it.
 * @param readBeside reads further files that the configuration names
 */
export function convert(
  format: string,
  files: readonly ImportFile[],
  readBeside: ReadBeside = () => undefined,
): { xml: string; report: ImportReport; copies: readonly ImportFile[] } {
  const name = findFormat(format);
  const report = new ImportReport();
  const crawlers = readFiles(name, files, report, readBeside);
  const emptyCrawlers = crawlers.filter(({ roots }) => roots.length === 0);
  if (emptyCrawlers.length === crawlers.length)
    report.reportSkipped(
      'start URLs',
      crawlers.some(({ filters, rules }) => [...filters, ...rules.map(({ pattern }) => pattern)].some(isAboutNone))
        ? 'none were found, and Rules about their hosts are MISSING: import again with the file that lists them'
        : 'none were found: specify the file that lists them, or write Root elements',
    );
  for (const crawler of crawlers) {
    fitTexts(crawler, report);
    // Two spellings of one root would be an error.
    const known = new Set<string>();
    crawler.roots = crawler.roots.filter((url) => {
      const key = (URL.parse(url)?.href ?? url).replace(/#.*/, '');
      return !known.has(key) && known.add(key);
    });
    reportReach(crawler, report);
    fitToRanges(crawler, report);
  }
  report.reportRest(EXPLANATIONS[name] ?? (() => undefined));
  const readsSitemaps = !READS_SITEMAPS.has(name) && crawlers.some(({ attributes }) => !attributes['crawlSitemaps']);
  report.reportChanged(
    'what no setting says',
    `${DEFAULTS_NOTE}${readsSitemaps ? SITEMAPS_NOTE : ''}${setDefaultDelay(name, crawlers)}`,
  );
  const xml = renderConfiguration(name, crawlers, report);
  for (const [reference] of xml.slice(xml.indexOf('-->')).matchAll(/\$\{[^{}"<>]{1,200}\}/g))
    if (!SECRET_REFERENCE.test(reference))
      report.reportChanged(
        reference,
        'it would be replaced by a secret of this server: make sure that the file may name it',
      );
  return { xml, report, copies: crawlers.flatMap(({ copies }) => copies) };
}

/** Whether it is the scope of a list of start URLs that was not given. */
const isAboutNone = (match: Match): boolean =>
  'any' in match ? match.any.length === 0 : 'not' in match && isAboutNone(match.not);

/** @throws ImportError if there is no such format */
export function findFormat(format: string): keyof typeof READERS {
  const name = IMPORT_FORMATS.find((known) => known === format.toLowerCase());
  if (!name) throw new ImportError(`unknown format ${format}; use one of ${IMPORT_FORMATS.join(', ')}`);
  return name;
}

/** What Crawlway does with any crawl; each can be set in LinkRules or cw:Traps. */
const DEFAULTS_NOTE =
  'links to images, archives, scripts and other files without text (ignoreLinksTo of LinkRules), URLs longer than 2,048 characters, paths with more than 40 segments or with a segment more than 4 times are not followed, and session ids are removed from URLs';

/** Products that read the sitemaps of a site without a setting. */
const READS_SITEMAPS: ReadonlySet<keyof typeof READERS> = new Set(['norconex', 'elastic']);
const SITEMAPS_NOTE = '; the sitemaps that robots.txt names are read, and their URLs crawled (crawlSitemaps)';

/** The pause that products make without a setting, in milliseconds, where it is longer than here. */
const DELAYS: Partial<Record<keyof typeof READERS, number>> = {
  norconex: 3000,
  nutch: 5000,
  heritrix: 3000,
  fess: 10_000,
};

function setDefaultDelay(format: keyof typeof READERS, crawlers: readonly ImportedCrawler[]): string {
  const delay = DELAYS[format];
  const others = crawlers.filter(({ attributes }) => attributes['throttleTimeMS'] === undefined);
  if (delay === undefined || others.length === 0) return '';
  for (const { attributes } of others) attributes['throttleTimeMS'] = String(delay);
  return `; the pause between two requests is that of ${format} (throttleTimeMS="${delay}")`;
}

const SECRET_REFERENCE = /^\$\{CRAWLWAY_SECRET_SINK(?:_\d+)?\}$/;

/** Says so if nothing keeps the crawl from following links to any site. */
function reportReach(crawler: ImportedCrawler, report: ImportReport): void {
  const { staysOnSite, rules, acceptsOthers, filters, include, conditions, crawlSpace, attributes } = crawler;
  const isLimited =
    staysOnSite ||
    !(rules.findLast(({ pattern }) => matchesAnything(pattern))?.accept ?? (rules.length === 0 || acceptsOthers)) ||
    filters.length + include.length > 0 ||
    crawlSpace !== undefined ||
    attributes['defaultFollow'] === 'false' ||
    conditions.some(({ element }) => element !== 'may-not-have');
  if (!isLimited)
    report.reportChanged(
      'the scope of the crawl',
      'nothing limits it to some hosts, so that links to EVERY site are followed, as in the original: add Rules if this is not meant',
    );
}

/** What only files of one product contain: those of another would be read as patterns, or as nothing. */
const SIGNS: readonly (readonly [format: keyof typeof READERS, sign: RegExp])[] = [
  ['norconex', /com\.norconex\.|<httpcollector\b|<start(?:URLs|References)\b|^\s*startReferences:/im],
  ['nutch', /<configuration\b[\s\S]*<property>/],
  ['elastic', /^domains:/m],
  ['stormcrawler', /^\s*["']?(?:http\.agent\.name|topology\.workers)\b|stormcrawler\.\w+/m],
  ['heritrix', /org\.archive\./],
  ['gsa', /<(?:eef|globalparams|good_urls|start_urls)\b/],
  ['scrapy', /^\s*(?:from|import) scrapy\b|^BOT_NAME\s*=/m],
  ['fess', /"_index"\s*:/],
  ['omnifind', /^\s*(?:allow|forbid)\s+(?:prefix|domain|address|regexp)\s/im],
  ['velocity', /<vse-/],
  ['fdse', /^https?:\/\/\S+ \S.* \d+\s*$/m],
  ['docsearch', /"start_urls"\s*:|\bnew\s+Crawler\s*\(|"pathsToMatch"\s*:/],
  ['manifoldcf', /"document_specification"|"_attribute_|manifoldcf\.|<seeds\b/],
  ['mnogosearch', /^\s*(?:DBAddr|Server|Realm)\s+\S/im],
];

/** Formats whose files are those of another. */
const SAME: Partial<Record<keyof typeof READERS, keyof typeof READERS>> = {
  dataparksearch: 'mnogosearch',
  algolia: 'docsearch',
};

/** Formats whose files are never XML. */
const LISTS = new Set(['elastic', 'stormcrawler', 'scrapy', 'fess', 'omnifind', 'fdse', 'mnogosearch', 'docsearch']);

/** @throws ImportError if the file is obviously one of another product */
function refuseOtherProducts(format: keyof typeof READERS, { name, text }: ImportFile): void {
  // Comments of an XML file have lines of any kind.
  const isXml = /^\s*</.test(text);
  const found = SIGNS.filter(([product, sign]) => !(isXml && LISTS.has(product)) && sign.test(text)).map(
    ([product]) => product,
  );
  const own = SAME[format] ?? format;
  if (found.length > 0 && !found.includes(own))
    throw new ImportError(`${name} looks like one of ${found[0]}: use crawlway import ${found[0]}`);
}

function readFiles(
  format: keyof typeof READERS,
  files: readonly ImportFile[],
  report: ImportReport,
  readBeside: ReadBeside,
) {
  if (files.length === 0) throw new ImportError('no files were found: those in subfolders are not read');
  // Other files and the report refer to files by their names.
  const twice = files.find(({ name }, index) => files.findIndex((file) => file.name === name) < index);
  if (twice) throw new ImportError(`two files have the name ${twice.name}: rename one of them`);
  const empty = files.find(({ name, text }) => text.trim() === '' && !(format === 'nutch' && isOtherFile(name)));
  if (empty) throw new ImportError(`${empty.name} contains no ${format} configuration: it is empty`);
  try {
    for (const file of files) refuseOtherProducts(format, file);
    const crawlers = READERS[format](files, report, readBeside);
    if (report.lines.every(({ kind }) => kind === 'not taken'))
      throw new ImportError(`nothing in ${files.map(({ name }) => name).join(', ')} says what to crawl`);
    const unread = files.find(({ name }) => !report.isRead(name));
    if (unread) throw new ImportError(`${unread.name} is of a kind that it does not know, or nothing refers to it`);
    if (crawlers.length === 0) throw new ImportError(`${files[0]?.name ?? 'the file'} contains no crawl`);
    return crawlers;
  } catch (error) {
    if (error instanceof ImportError)
      throw new ImportError(`this is not a configuration of ${format}: ${error.message}`, { cause: error });
    throw error;
  }
}
