/** OmniFind: crawl.rules (forbid and allow rules; the first match wins) and lists of start URLs. */

import {
  createCrawler,
  type ImportedCrawler,
  type ImportedRule,
  type ImportFile,
  type ImportReport,
  isUrl,
  pluralize,
} from '../model.js';
import { escapeRegExp } from '../patterns.js';
import { parseList } from '../tree.js';

export function readOmniFind(files: readonly ImportFile[], report: ImportReport): ImportedCrawler[] {
  const crawler = { ...createCrawler('omnifind'), staysOnSite: false, acceptsOthers: true };
  for (const file of files) {
    const list = parseList(file, report);
    report.cover(list);
    const lines = list.children.map(({ text }) => text);
    const rules: ImportedRule[] = [];
    for (const line of lines) {
      if (isUrl(line)) crawler.roots.push(line);
      else if (/^(?:forbid|allow)\b/i.test(line)) rules.push(...parseRule(line, report));
      else report.reportSkipped(line, 'is neither a rule nor a URL');
    }
    crawler.rules = crawler.rules.concat(rules.reverse());
  }
  report.reportTaken(pluralize(crawler.roots.length, 'start URL'), 'roots');
  if (crawler.rules.length > 0)
    report.reportChanged(
      `${crawler.rules.length} rules`,
      'in reverse order: the first match wins in OmniFind but the last one in Crawlway. cw:CrawlSpace can read the file as is',
    );
  return [crawler];
}

function parseRule(line: string, report: ImportReport): ImportedRule[] {
  const [, verb, kind, value = ''] = /^(forbid|allow)\s+(prefix|domain|regexp|address)\s+(\S+)/i.exec(line) ?? [];
  const accept = verb?.toLowerCase() === 'allow';
  if (kind === 'prefix')
    return [
      {
        accept,
        pattern: value.includes('*')
          ? { kind: 'regex', value: `^${value.split('*').map(escapeRegExp).join('.*')}` }
          : { kind: 'prefix', value },
      },
    ];
  if (kind === 'regexp') return [{ accept, pattern: { kind: 'regex', value } }];
  if (kind === 'domain' && value === '*') return [{ accept, pattern: { kind: 'regex', value: '^https?://' } }];
  if (kind === 'domain' && !value.includes('*'))
    return [{ accept, pattern: { kind: 'domain', value: value.replace(/^\./, '') } }];
  if (kind === 'domain')
    return [
      {
        accept,
        pattern: { kind: 'regex', value: `^https?://${value.split('*').map(escapeRegExp).join('[^/]*')}(?::\\d+)?/` },
      },
    ];
  report.reportSkipped(line, 'only cw:CrawlSpace supports address rules: specify the file there');
  return [];
}
