// Packs the server, the command line and their threads from dist/ into dist/program/: a start then reads a dozen files instead
// of two thousand, which halves its time, and takes 50 MB less (bench/README.md). Tests and benchmarks use the
// same program; `node dist/src/main.js` does the same unpacked.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { collectLicences } from './licences.mjs';

const dist = join(dirname(dirname(fileURLToPath(import.meta.url))), 'dist');

/** Beside each other, as in the sources: threads are found by their name beside the file that starts them. */
const ENTRIES = {
  main: 'src/main.js',
  crawlway: 'src/cli/crawlway.js',
  client: 'client/index.js',
  'demo-index': 'demo-index/main.js',
  'pages.thread': 'src/server/pages.thread.js',
  'render.thread': 'src/server/render.thread.js',
  'sqlite-writer.thread': 'src/adapters/storage/sqlite/sqlite-writer.thread.js',
  'sqlite-reader.thread': 'src/adapters/storage/sqlite/sqlite-reader.thread.js',
  'plugins.process': 'src/adapters/plugins/plugins.process.js',
  'documents.process': 'src/adapters/parsers/documents/documents.process.js',
};

/** They find files of theirs by their own place in node_modules. */
const EXTERNAL = /^(?:better-sqlite3|playwright-core)$/;

/** Packages that others of ours would use if they were installed, and do without when they are not. */
const OPTIONAL = 'UNRESOLVED_IMPORT';

/** Nest copies what is known of the fields of classes by a `require` of its own, which would look for packages beside the program. */
const FIELDS_OF_CLASSES = {
  name: 'fields-of-classes',
  transform: (code, id) =>
    /@nestjs[\\/]mapped-types/.test(id)
      ? code.replace('const require = createRequire(import.meta.url);', '')
      : undefined,
};

/**
 * What packages load at their start for functions that nothing here calls: TypeORM's drivers for databases other than SQLite and
 * PostgreSQL, and the telephone numbers of all countries, which class-validator checks. Their modules are left empty: 1.5 MB of
 * program that every server would hold in memory.
 */
const UNUSED =
  /[\\/]typeorm[\\/]driver[\\/](?!better-sqlite3|postgres|sqlite-abstract|types)[^\\/]+[\\/]|[\\/]libphonenumber-js[\\/]max[\\/]/;
const LEFT_OUT = {
  name: 'left-out',
  load: (id) => (UNUSED.test(id) ? 'module.exports = {};' : undefined),
};

const bundle = await rolldown({
  input: Object.fromEntries(Object.entries(ENTRIES).map(([name, file]) => [name, join(dist, file)])),
  platform: 'node',
  // class-transformer has two builds; Nest uses the storage of this one.
  resolve: { alias: { 'class-transformer$': fileURLToPath(import.meta.resolve('class-transformer')) } },
  plugins: [FIELDS_OF_CLASSES, LEFT_OUT],
  external: EXTERNAL,
  onLog(level, log, defaultHandler) {
    if (log.code !== OPTIONAL || !/node_modules/.test(log.message)) defaultHandler(level, log);
  },
});
const dir = join(dist, 'program');
rmSync(dir, { recursive: true, force: true });
const { output } = await bundle.write({
  dir,
  format: 'esm',
  chunkFileNames: '[name]-[hash].js',
  // Names of classes are seen: in the API description, in migrations and in messages.
  keepNames: true,
  // Licences stay; what explains a function to its readers is a tenth of what a start would read.
  comments: { legal: true, annotation: false, jsdoc: false },
});
await bundle.close();

/**
 * One character past Latin-1 makes V8 keep the whole file at two bytes a character: 20 MB more. Escaped it means the same in
 * every place but behind a backslash.
 */
function escapeSource(source, name) {
  if (/\\[^\0-\x7f]/.test(source)) throw new Error(`${name}: a backslash before a character that is not ASCII`);
  return source.replace(/[^\0-\x7f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

for (const name of readdirSync(dir)) {
  const file = join(dir, name);
  writeFileSync(file, escapeSource(readFileSync(file, 'utf8'), name));
}

// A process that reads documents may read no file outside of this folder: neither packages nor a package.json above.
copyFileSync(fileURLToPath(import.meta.resolve('@hyzyla/pdfium/pdfium.wasm')), join(dir, 'pdfium.wasm'));
writeFileSync(join(dir, 'package.json'), '{ "type": "module" }\n');

// The pages of the API description. Their package would be installed for these files alone, with another that reports each installation.
const pages = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));
const PAGES = /^(?:swagger-ui(?:-bundle|-standalone-preset)?\.(?:js|css)|favicon-.*\.png)$/;
mkdirSync(join(dir, 'api-pages'));
for (const name of readdirSync(pages).filter((name) => PAGES.test(name) && name !== 'swagger-ui.js'))
  copyFileSync(join(pages, name), join(dir, 'api-pages', name));

const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
writeFileSync(join(dir, 'LICENSES.txt'), collectLicences([...modules, join(pages, 'package.json')]));
