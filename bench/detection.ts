/**
 * Pages of a folder that are taken to need their scripts: of documentation, false alarms. With `--made`, the pages are known to be made
 * by scripts, and those that are not found are printed.
 *
 *   node dist/bench/detection.js [--made] FOLDER…
 */
import { glob, readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { createBuiltInExtractors } from '../src/adapters/parsers/extractors.js';
import type { SyncExtractor } from '../src/engine/ports/content-extractor.js';

const SHOWN = 40;

async function detection(folders: readonly string[], areMade: boolean): Promise<void> {
  if (folders.length === 0) throw new Error('name the folders with pages: npm run bench -- detection FOLDER…');
  const html = createBuiltInExtractors()[0] as SyncExtractor;
  for (const folder of folders) {
    let pages = 0;
    let judged = 0;
    const alarms: string[] = [];
    const missed: string[] = [];
    for await (const file of glob('**/*.{html,htm,html.gz}', { cwd: folder })) {
      const bytes = await readFile(`${folder}/${file}`).catch(() => undefined);
      if (!bytes) continue;
      const body = file.endsWith('.gz') ? gunzipSync(bytes) : bytes;
      const context = { url: `http://x/${file}`, contentType: 'text/html', maxLinks: 5_000, maxTextLength: 1_000_000 };
      const read = html.extract(body, 'text/html', context);
      pages++;
      if ('refused' in read) continue;
      if (Buffer.byteLength(read.text) <= 500) judged++;
      if (read.needsRendering !== undefined) alarms.push(`${file}: ${read.needsRendering}`);
      else missed.push(`${file}: not found (${Buffer.byteLength(read.text)} bytes of text)`);
    }
    for (const one of (areMade ? missed : alarms).slice(0, SHOWN)) console.log(one);
    const share = ((1000 * alarms.length) / Math.max(1, pages)).toFixed(2);
    console.log(
      `${folder}: ${pages} pages, ${judged} with little text, ${alarms.length} need rendering (${share} in 1,000)`,
    );
  }
}

const parameters = process.argv.slice(2);
await detection(
  parameters.filter((one) => one !== '--made'),
  parameters.includes('--made'),
);
