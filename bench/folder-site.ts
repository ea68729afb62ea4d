/**
 * Serves a folder of HTML files on one port of 127.0.0.1, with entity tags. By default the OpenJDK documentation, which Debian has
 * as a package: pages as people write and programs generate them, 107 links each in the mean.
 *
 *   node dist/bench/folder-site.js --port 18091 --folder /usr/share/doc/openjdk-17-jre-headless
 */
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getOption } from './crawl-run.js';

/** The folder that `apt-get install openjdk-17-doc` fills, where the crawl of it starts, and how many documents it finds. */
export const JDK_DOCUMENTATION = {
  folder: '/usr/share/doc/openjdk-17-jre-headless',
  start: '/api/index.html',
  documents: 10_137,
} as const;

export const hasJdkDocumentation = (): boolean => existsSync(join(JDK_DOCUMENTATION.folder, JDK_DOCUMENTATION.start));

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
};

async function respond(
  folder: string,
  path: string,
  ifNoneMatch: string | undefined,
  response: ServerResponse,
): Promise<void> {
  const file = join(folder, normalize(decodeURIComponent(path)));
  const found = await stat(file).catch(() => undefined);
  if (found?.isDirectory() && !path.endsWith('/')) return void response.writeHead(301, { location: `${path}/` }).end();
  const served = found?.isDirectory() ? join(file, 'index.html') : file;
  const content = found && (await readFile(served).catch(() => undefined));
  if (!content) return void response.writeHead(404).end();
  const etag = `"${found.size}-${found.mtimeMs}"`;
  if (ifNoneMatch === etag) return void response.writeHead(304, { etag }).end();
  const type = TYPES[extname(served)] ?? 'application/octet-stream';
  response.writeHead(200, { 'content-type': type, 'content-length': content.length, etag }).end(content);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = getOption('folder', JDK_DOCUMENTATION.folder);
  const server = createServer(({ url = '/', headers }, response) => {
    const [path = '/'] = url.split('?', 1);
    respond(folder, path, headers['if-none-match'], response).catch(() => response.destroy());
  });
  server.listen(Number(getOption('port', '18091')), '127.0.0.1', () => console.log(`${folder} is served over http`));
}
