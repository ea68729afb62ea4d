/** The site that is crawled where one host counts: that of `--seed`, or one that is started. */
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getOption } from './crawl-run.js';
import { hasJdkDocumentation, JDK_DOCUMENTATION } from './folder-site.js';
import { startProgram } from './processes.js';

const BENCH = fileURLToPath(new URL('.', import.meta.url));
const SITE_PORT = 18_090;

export interface CrawledSite {
  readonly seed: string;
  /** Number of its documents. */
  readonly pages: number;
  readonly server?: ChildProcess;
}

/** Starts the OpenJDK documentation if it is installed and `--pages` is absent, otherwise a synthetic site. */
export async function startCrawledSite(): Promise<CrawledSite> {
  const wanted = getOption('pages', '');
  const pages = Number(wanted || '10000');
  const seed = getOption('seed', '');
  if (seed !== '') return { seed, pages };
  const origin = `http://127.0.0.1:${SITE_PORT}`;
  const start = (program: string, ...args: string[]) =>
    startProgram(join(BENCH, program), ['--port', String(SITE_PORT), ...args], /http/);
  if (wanted === '' && hasJdkDocumentation()) {
    const server = await start('folder-site.js');
    return { seed: `${origin}${JDK_DOCUMENTATION.start}`, pages: JDK_DOCUMENTATION.documents, server };
  }
  if (wanted === '') console.log('a synthetic site, which has few links and metas: apt-get install openjdk-17-doc');
  return { seed: `${origin}/`, pages, server: await start('synthetic-site.js', '--pages', String(pages)) };
}
