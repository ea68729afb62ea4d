/**
 * Counts the pages of a folder that are reported to need their scripts; on documentation, these are false alarms. With
 * `--made`, the pages are known to be made by scripts, and those that are not reported are printed.
 *
 *   node dist/bench/detection.js [--made] FOLDER…
 */
import { glob, readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { createBuiltInExtractors } from '../src/adapters/parsers/extractors.js';
import type { SyncExtractor } from '../src/engine/ports/content-extractor.js';

const MAX_SHOWN = 40;

async function countDetections(folders: readonly string[], areScriptMade: boolean): Promise<void> {
  if (folders.length === 0)
    throw new Error('specify the folders that contain the pages: npm run bench -- detection FOLDER…');
  const htmlExtractor = createBuiltInExtractors()[0] as SyncExtractor;
  for (const folder of folders) {
    let pages = 0;
    let shortPages = 0;
    const alarms: string[] = [];
    const missedPages: string[] = [];
    for await (const file of glob('**/*.{html,htm,html.gz}', { cwd: folder })) {
      const bytes = await readFile(`${folder}/${file}`).catch(() => undefined);
      if (!bytes) continue;
      const body = file.endsWith('.gz') ? gunzipSync(bytes) : bytes;
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
      `${folder}: ${pages} pages, ${shortPages} with little text, ${alarms.length} reported to need rendering (${share} in 1,000)`,
    );
  }
}

const parameters = process.argv.slice(2);
await countDetections(
  parameters.filter((parameter) => parameter !== '--made'),
  parameters.includes('--made'),
);
