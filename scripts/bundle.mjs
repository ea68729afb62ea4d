// Packs the server, the command line and their threads from dist/ into dist/program/: a start then reads a dozen files instead
// of two thousand, which halves its time, and keeps 40 MB less in memory (bench/README.md). Tests and benchmarks use the
// same program; `node dist/src/main.js` does the same unpacked.
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const dist = join(dirname(dirname(fileURLToPath(import.meta.url))), 'dist');

/** Beside each other, as in the sources: threads are found by their name beside the file that starts them. */
const ENTRIES = {
  main: 'src/main.js',
  crawlway: 'src/cli/crawlway.js',
  'pages.thread': 'src/server/pages.thread.js',
  'sqlite-writer.thread': 'src/adapters/storage/sqlite-writer.thread.js',
  'sqlite-reader.thread': 'src/adapters/storage/sqlite-reader.thread.js',
};

/** Finds its compiled part by its own place in node_modules. */
const EXTERNAL = /^better-sqlite3$/;

/** Packages that others of ours would use if they were installed, and do without when they are not. */
const OPTIONAL = 'UNRESOLVED_IMPORT';

const bundle = await rolldown({
  input: Object.fromEntries(Object.entries(ENTRIES).map(([name, file]) => [name, join(dist, file)])),
  platform: 'node',
  external: EXTERNAL,
  onLog(level, log, defaultHandler) {
    if (log.code !== OPTIONAL || !/node_modules/.test(log.message)) defaultHandler(level, log);
  },
});
const dir = join(dist, 'program');
rmSync(dir, { recursive: true, force: true });
await bundle.write({
  dir,
  format: 'esm',
  chunkFileNames: '[name]-[hash].js',
  // Names of classes are seen: in the API description, in migrations and in messages.
  keepNames: true,
});
await bundle.close();
