/** Configurations of other crawlers, in the style of their products: imported, checked, and crawled on a site of this machine. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { convert } from '../../import/index.js';
import type { FakeSite } from '../support/fake-site.js';
import { startSite } from '../support/scenario.js';
import { ServedCrawl } from '../support/served-crawl.js';

const CONFIGURATIONS = join(import.meta.dirname, 'configurations');

/** What each leaves behind, with its reason in the report; nothing else may get lost. */
const NOT_TAKEN: Readonly<Record<string, readonly string[]>> = {
  'docsearch-1': ['strip_chars =  .,;:#'],
  'docsearch-2': ['recordExtractor', 'schedule'],
  manifoldcf: ['excludeheader date', 'hopcount_mode accurate', 'pipelinestage Files', 'Proxy authentication password'],
  elastic: ['max_duration_of_crawl', 'log_level'],
  fess: ['fess_config.label_type', 'maxAccessCount of Manuals'],
  'norconex-2': [
    'committer XMLFileCommitter',
    'orphansStrategy',
    'maxDocuments',
    'progressDir = ./progress',
    'logsDir = ./logs',
  ],
  'norconex-3': ['committer XMLFileCommitter', 'keepDownloads', 'workDir = ./work'],
  'norconex-4': ['committer JsonFileCommitter'],
  nutch: ['SITE/ nutch.score=10'],
  scrapy: ['callback of manuals', 'manuals.parse_item', 'BOT_NAME', 'SPIDER_MODULES'],
  stormcrawler: ['topology.workers', 'parsefilters.config.file'],
};

async function manuals(): Promise<FakeSite> {
  const site = await startSite();
  return site
    .page('/', ['/docs/', '/private/pay.html', '/files/tool.zip', 'http://127.0.0.2/elsewhere'])
    .page('/docs/', ['/docs/a.html', '/docs/b.html', '/'])
    .page('/docs/a.html', ['/docs/b.html', '/private/notes.html'])
    .page('/docs/b.html')
    .page('/private/pay.html')
    .page('/private/notes.html')
    .set('/files/tool.zip', { headers: { 'content-type': 'application/zip' }, body: 'PK' });
}

it.each(readdirSync(CONFIGURATIONS))(
  '%s: what the original accepted is indexed, what it excluded is not requested',
  async (name) => {
    const site = await manuals();
    const folder = join(CONFIGURATIONS, name);
    const files = readdirSync(folder).map((file) => ({
      name: file,
      text: readFileSync(join(folder, file), 'utf8').replaceAll('SITE', site.origin),
    }));
    const { xml, report } = convert(name.replace(/-\d$/, ''), files);
    const left = report.lines
      .filter(({ kind }) => kind === 'not taken')
      .map(({ setting }) => setting.replace(site.origin, 'SITE'));
    expect(left).toEqual(NOT_TAKEN[name] ?? []);
    expect(report.lines.filter(({ note }) => note === '')).toEqual([]);
    // What an archive holds is compared in a file of documents.
    const readable = xml.replace('type="warc" url="warcs/crawl.warc.gz"', 'type="file" url="documents.jsonl"');
    const crawl = await (await ServedCrawl.start(readable)).caughtUp();
    expect(crawl.documents()).toEqual(['/', '/docs/', '/docs/a.html', '/docs/b.html']);
    expect(site.fetched.filter((path) => /private|zip/.test(path))).toEqual([]);
  },
);
