/**
 * Counts the pages of a folder that are reported to need their scripts; on documentation, these are false alarms. With
 * `--made`, the pages are known to be made by scripts, and those that are not reported are printed; without a folder,
 * these are the pages of `script-made-pages.ts`.
 *
 *   node dist/bench/detection.js FOLDER…
 *   node dist/bench/detection.js --made [FOLDER…]
 */
import { glob, readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { createBuiltInExtractors } from '../src/adapters/parsers/extractors.js';
import type { SyncExtractor } from '../src/engine/ports/content-extractor.js';
import { SCRIPT_MADE_PAGES } from './script-made-pages.js';

const MAX_SHOWN = 40;

type Page = readonly [name: string, body: Buffer];

async function* readPages(folder: string): AsyncGenerator<Page> {
  for await (const file of glob('**/*.{html,htm,html.gz}', { cwd: folder })) {
    const bytes = await readFile(`${folder}/${file}`).catch(() => undefined);
    if (bytes) yield [file, file.endsWith('.gz') ? gunzipSync(bytes) : bytes];
  }
}

async function countDetections(folders: readonly string[], areScriptMade: boolean): Promise<void> {
  if (folders.length === 0 && !areScriptMade)
    throw new Error('specify the folders that contain the pages: npm run bench -- detection FOLDER…');
  const ownPages = Object.entries(SCRIPT_MADE_PAGES).map(([name, body]): Page => [name, Buffer.from(body)]);
  const sources: [string, Iterable<Page> | AsyncIterable<Page>][] = folders.map((folder) => [
    folder,
    readPages(folder),
  ]);
  if (sources.length === 0) sources.push(['script-made-pages.ts', ownPages]);
  const htmlExtractor = createBuiltInExtractors()[0] as SyncExtractor;
  for (const [source, sourcePages] of sources) {
    let pages = 0;
    let shortPages = 0;
    const alarms: string[] = [];
    const missedPages: string[] = [];
    for await (const [file, body] of sourcePages) {
      const context = { url: `http://x/${file}`, contentType: 'text/html', maxLinks: 5_000, maxTextLength: 1_000_000 };
      const extraction = htmlExtractor.extract(body, 'text/html', context);
      pages++;
      if ('refused' in extraction) continue;
      if (Buffer.byteLength(extraction.text) <= 500) shortPages++;
      if (extraction.needsRendering !== undefined) alarms.push(`${file}: ${extraction.needsRendering}`);
      else missedPages.push(`${file}: not reported (${Buffer.byteLength(extraction.text)} bytes of text)`);
    }
    for (const line of (areScriptMade ? missedPages : alarms).slice(0, MAX_SHOWN)) console.log(line);
    const share = ((1000 * alarms.length) / Math.max(1, pages)).toFixed(2);
    console.log(
      `${source}: ${pages} pages, ${shortPages} with little text, ${alarms.length} reported to need rendering (${share} in 1,000)`,
    );
  }
}

const parameters = process.argv.slice(2);
await countDetections(
  parameters.filter((parameter) => parameter !== '--made'),
  parameters.includes('--made'),
);
