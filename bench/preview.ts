/**
 * Measures the preview of a changed configuration over a store that knows many URLs: `node dist/bench/preview.js
 * [--known 1000000]`.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fillStore } from './known-urls.js';
import { startProgram, stop } from './processes.js';

const DIST = fileURLToPath(new URL('..', import.meta.url));
const PORT = 18_741;

const createConfiguration = (rule: string): string =>
  `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:ar="exa:com.exalead.actionrules.v21" xmlns:cw="urn:crawlway:config:1">
  <Crawler name="bench" defaultAccept="true"><Rules>${rule}</Rules><cw:PushTo sink="main"/></Crawler>
  <cw:Fetcher name="default"/>
  <cw:Sink name="main" type="json" url="http://127.0.0.1:9/"/>
</CrawlConfig>`;

const index = process.argv.indexOf('--known');
const knownCount = index < 0 ? 1_000_000 : Number(process.argv[index + 1]);
const folder = mkdtempSync(join(tmpdir(), 'crawlway-bench-'));
mkdirSync(join(folder, 'data'));
await fillStore(join(folder, 'data', 'crawlway.sqlite'), knownCount);
writeFileSync(join(folder, 'config.xml'), createConfiguration(''));
const args = ['serve', '--config', join(folder, 'config.xml'), '--data', join(folder, 'data'), '--port', String(PORT)];
const startedAt = performance.now();
const server = await startProgram(join(DIST, 'program/main.js'), args, /is ready/);
const readyAt = performance.now();
const response = await fetch(`http://127.0.0.1:${PORT}/api/v1/config/preview`, {
  method: 'POST',
  headers: { 'content-type': 'application/xml' },
  body: createConfiguration('<Rule><ar:Path val="/section-3/"/><Ignore/></Rule>'),
});
const report = (await response.json()) as { judged: number; crawlers: { excluded: { count: number } }[] };
const seconds = (performance.now() - readyAt) / 1000;
await stop(server);
rmSync(folder, { recursive: true, force: true });
console.log(`${knownCount} URLs known: the server was ready after ${((readyAt - startedAt) / 1000).toFixed(1)} s`);
console.log(
  `preview: ${report.judged} URLs judged in ${seconds.toFixed(1)} s (${(report.judged / seconds).toFixed(0)} per second), ${report.crawlers[0]?.excluded.count} would be excluded`,
);
