/** Fluid Dynamics Search Engine: search.pending.txt, or any list whose lines begin with a URL. */
import { createCrawler, type ImportedCrawler, type ImportFile, type ImportReport, isUrl } from '../model.js';
import { parseList } from '../tree.js';

/** Maximum number of roots. A longer list should be submitted, with crawlway submit or as the pending file itself. */
const MAX_ROOTS = 1_000;

export function readFdse(files: readonly ImportFile[], report: ImportReport): ImportedCrawler[] {
  const urls = [
    ...new Set(
      files
        .flatMap((file) => {
          const list = parseList(file, report);
          report.cover(list);
          return list.children.map(({ text }) => text.split(/[\s|]/)[0]!);
        })
        .filter(isUrl),
    ),
  ];
  const sites = [...new Set(urls.map((url) => `${new URL(url).origin}/`))];
  const crawler = createCrawler('fdse');
  crawler.roots = (urls.length > MAX_ROOTS ? sites : urls).slice(0, MAX_ROOTS);
  crawler.staysOnSite = urls.length > MAX_ROOTS;
  if (!crawler.staysOnSite) {
    crawler.rules = sites.map((value) => ({ accept: true, pattern: { kind: 'prefix', value } }));
    report.reportTaken(`${urls.length} URLs`, 'roots; their sites are accepted');
  } else
    report.reportChanged(
      `${urls.length} URLs`,
      `the ${sites.length} sites as roots; PUT /crawlers/{c}/pending accepts the whole file with its states`,
    );
  report.reportSkipped('settings of the realm', 'write LinkRules with dialect="fdse" for that engine\'s link rules');
  return [crawler];
}
