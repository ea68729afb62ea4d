/** The site that is crawled where one host counts: that of `--seed`, or one that is started. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getOption, sleep } from './crawl-run.js';
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

/**
 * Starts the OpenJDK documentation if it is installed and `--pages` is absent, with `--nginx yes` served by nginx;
 * otherwise a synthetic site.
 */
export async function startCrawledSite(): Promise<CrawledSite> {
  const wanted = getOption('pages', '');
  const pages = Number(wanted || '10000');
  const seed = getOption('seed', '');
  if (seed !== '') return { seed, pages };
  const origin = `http://127.0.0.1:${SITE_PORT}`;
  const start = (program: string, ...args: string[]) =>
    startProgram(join(BENCH, program), ['--port', String(SITE_PORT), ...args], /http/);
  if (wanted === '' && hasJdkDocumentation()) {
    const server = await (getOption('nginx', '') === '' ? start('folder-site.js') : startNginx(origin));
    return { seed: `${origin}${JDK_DOCUMENTATION.start}`, pages: JDK_DOCUMENTATION.documents, server };
  }
  if (wanted === '') console.log('a synthetic site, which has few links and metas: apt-get install openjdk-17-doc');
  return { seed: `${origin}/`, pages, server: await start('synthetic-site.js', '--pages', String(pages)) };
}

/** One worker without a log, so that the site takes as little of the machine as possible. */
async function startNginx(origin: string): Promise<ChildProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'crawlway-bench-nginx-'));
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder};`);
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; pid ${folder}/pid; error_log stderr; worker_processes 1; events { worker_connections 1024; }
http { include /etc/nginx/mime.types; access_log off; sendfile on; keepalive_requests 1000000; ${temporary.join(' ')}
  server { listen ${new URL(origin).host}; root ${JDK_DOCUMENTATION.folder}; disable_symlinks off; } }`,
  );
  const server = spawn('nginx', ['-c', join(folder, 'nginx.conf')], { stdio: ['ignore', 'ignore', 'inherit'] });
  process.once('exit', () => server.kill());
  const failed = new Promise<never>((_, reject) => {
    server.once('error', reject);
    server.once('exit', (code) => reject(new Error(`nginx exited with code ${code}`)));
  });
  const answers = async (): Promise<void> => {
    while (!(await fetch(origin).catch(() => undefined))) await sleep(50);
  };
  await Promise.race([answers(), failed]);
  failed.catch(() => undefined);
  return server;
}
