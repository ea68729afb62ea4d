/**
 * Converts configurations of other crawlers to CrawlConfig.xml, and reports what became of each setting. It knows nothing
 * of the rest of the program, which loads it only for `crawlway import`.
 */

import { readElastic } from './formats/elastic.js';
import { readFdse } from './formats/fdse.js';
import { readFess } from './formats/fess.js';
import { readGsa } from './formats/gsa.js';
import { readHeritrix } from './formats/heritrix.js';
import { readNorconex } from './formats/norconex.js';
import { readNutch } from './formats/nutch.js';
import { readOmniFind } from './formats/omnifind.js';
import { readScrapy } from './formats/scrapy.js';
import { readStormCrawler } from './formats/stormcrawler.js';
import { readVelocity } from './formats/velocity.js';
import { IMPORT_FORMATS } from './formats.js';
import { ImportError, type ImportFile, type ImportReader, ImportReport } from './model.js';
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
};

/**
 * Returns the converted configuration as XML, and a report of what was converted. Throws ImportError if the format is
 * unknown or the files are not in it.
 */
export function convert(format: string, files: readonly ImportFile[]): { xml: string; report: ImportReport } {
  const name = IMPORT_FORMATS.find((known) => known === format.toLowerCase());
  if (!name) throw new ImportError(`unknown format ${format}; use one of ${IMPORT_FORMATS.join(', ')}`);
  const report = new ImportReport();
  const crawlers = readFiles(name, files, report);
  const emptyCrawlers = crawlers.filter(({ roots }) => roots.length === 0);
  if (emptyCrawlers.length === crawlers.length)
    report.reportSkipped('start URLs', 'none were found: specify the file that lists them, or write Root elements');
  const xml = renderConfiguration(format, crawlers, report);
  for (const [reference] of xml.matchAll(/\$\{[^{}"<>]{1,200}\}/g))
    report.reportChanged(
      reference,
      'it would be replaced by a secret of this server: make sure that the file may name it',
    );
  return { xml, report };
}

function readFiles(format: keyof typeof READERS, files: readonly ImportFile[], report: ImportReport) {
  try {
    return READERS[format](files, report);
  } catch (error) {
    if (error instanceof ImportError)
      throw new ImportError(`this is not a ${format} configuration: ${error.message}`, { cause: error });
    throw error;
  }
}
