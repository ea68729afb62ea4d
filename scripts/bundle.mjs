// Bundles the server, the command line and their threads from dist/ into dist/program/: the program then reads a dozen
// files at start instead of two thousand, which halves the start time and saves 50 MB of memory (bench/README.md).
// Tests and benchmarks use the bundled program; `node dist/src/main.js` runs it unbundled.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { packLetterGroups, unpack } from './letter-groups.mjs';
import { collectLicences } from './licences.mjs';

const dist = join(dirname(dirname(fileURLToPath(import.meta.url))), 'dist');

/**
 * Entry points, all in one folder as in the sources, because threads are found by name beside the file that starts
 * them.
 */
const ENTRIES = {
  main: 'src/main.js',
  crawlway: 'src/cli/crawlway.js',
  client: 'client/index.js',
  'demo-index': 'demo-index/main.js',
  'pages.thread': 'src/server/pages.thread.js',
  'render.thread': 'src/server/render.thread.js',
  'sqlite-writer.thread': 'src/adapters/storage/sqlite/sqlite-writer.thread.js',
  'sqlite-reader.thread': 'src/adapters/storage/sqlite/sqlite-reader.thread.js',
  'page-check.process': 'src/adapters/storage/sqlite/page-check.process.js',
  'plugins.process': 'src/adapters/plugins/plugins.process.js',
  'documents.process': 'src/adapters/parsers/documents/documents.process.js',
  'letter-groups': 'src/adapters/parsers/letter-groups.js',
};

/** Packages that find their files by their own location in node_modules. */
const EXTERNAL = /^(?:better-sqlite3|playwright-core)$/;

/** Code of the warning about packages that our dependencies would use if they were installed, but do not require. */
const OPTIONAL = 'UNRESOLVED_IMPORT';

/**
 * Removes Nest's own `require`, with which it copies the metadata of class fields and which would look for packages
 * beside the program; and the time in the lines of Nest's own logger, which is never asked: the first formatter of dates
 * takes 10 ms, in which Node loads its rules for all languages.
 */
const NEST = {
  name: 'nest',
  transform(code, id) {
    if (/@nestjs[\\/]mapped-types/.test(id)) return code.replace('const require = createRequire(import.meta.url);', '');
    if (/@nestjs[\\/]common[\\/]services[\\/].*logger/.test(id))
      return code.replace(/new Intl\.DateTimeFormat\([^)]*\)/, '{ format: String }');
    return undefined;
  },
};

/**
 * Modules that packages load at start for functions that nothing here calls: TypeORM's drivers for databases other than
 * SQLite and PostgreSQL, the telephone numbers of all countries for class-validator, and axios's way to send requests by
 * Node's own fetch, which it tries out. They are replaced by empty modules, which saves 1.5 MB of program that
 * every server would hold in memory.
 */
const UNUSED =
  /[\\/]typeorm[\\/]driver[\\/](?!better-sqlite3|postgres|sqlite-abstract|types)[^\\/]+[\\/]|[\\/]libphonenumber-js[\\/]max[\\/]|[\\/]axios[\\/]lib[\\/]adapters[\\/]fetch\.js$/;
const LEFT_OUT = {
  name: 'left-out',
  load: (id) => (UNUSED.test(id) ? 'module.exports = {};' : undefined),
};

/**
 * When a module of Node is imported, every property of it is read. For the WebSocket of `node:http`, Node loads its own
 * fetch, which a server needs for the forms of some logins only (25 ms and 5 MB in each thread), and for
 * `rootCertificates` of `node:tls` it writes them all as texts (4 ms). Axios looks for a FormData, which is part of
 * fetch.
 */
const FETCH = /typeof G\.FormData !== 'undefined' \? G\.FormData : undefined/;
const UNREAD = {
  name: 'unread',
  resolveId: (id) => (/^(?:node:)?(?:http|tls)$/.test(id) ? `\0${id.replace('node:', '')}` : undefined),
  load: (id) =>
    /^\0(?:http|tls)$/.test(id) ? `module.exports = process.getBuiltinModule('${id.slice(1)}');` : undefined,
  transform: (code, id) =>
    /[\\/]axios[\\/]lib[\\/]utils\.js$/.test(id) ? code.replace(FETCH, 'undefined') : undefined,
};

/**
 * The groups of letters, whose 50,000 small objects would take 45 MB: two strings take one. The module that is loaded keeps its
 * interface: an object of the scores by language for each group.
 */
const PACKED = {
  name: 'packed-letter-groups',
  async load(id) {
    if (!/[\\/]eld[\\/]src[\\/]ngrams[\\/]\w+\.js$/.test(id)) return undefined;
    const { ngrams, ...head } = (await import(pathToFileURL(id).href)).ngramsData;
    return `${unpack}\nexport const ngramsData = { ...${JSON.stringify(head)}, ngrams: unpack(${packLetterGroups(ngrams)}) };`;
  },
};

const bundle = await rolldown({
  input: Object.fromEntries(Object.entries(ENTRIES).map(([name, file]) => [name, join(dist, file)])),
  platform: 'node',
  // class-transformer has two builds; Nest uses the storage of this one.
  resolve: { alias: { 'class-transformer$': fileURLToPath(import.meta.resolve('class-transformer')) } },
  plugins: [NEST, LEFT_OUT, UNREAD, PACKED],
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
  // Names of classes are visible in the API description, in migrations and in messages; names of functions in stack
  // traces, which have no use for lines: `node dist/src/main.js` has them.
  keepNames: true,
  // A quarter of the package. The code itself stays as it was written.
  minify: { compress: false, mangle: true, codegen: { removeWhitespace: true } },
  // Licences are kept; the other comments would be a tenth of what has to be read at start.
  comments: { legal: true, annotation: false, jsdoc: false },
});
await bundle.close();

/**
 * A single character beyond Latin-1 makes V8 store the whole file with two bytes per character, which takes 20 MB more.
 * Escapes have the same meaning everywhere except after a backslash.
 */
function escapeNonAscii(source, name) {
  if (/\\[^\0-\x7f]/.test(source))
    throw new Error(`${name} has a backslash before a character that is not ASCII, which cannot be escaped`);
  return source.replace(/[^\0-\x7f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

for (const name of readdirSync(dir)) {
  const file = join(dir, name);
  writeFileSync(file, escapeNonAscii(readFileSync(file, 'utf8'), name));
}

// A process that reads documents may not read any file outside this folder: neither packages nor a package.json above
// it.
copyFileSync(fileURLToPath(import.meta.resolve('@hyzyla/pdfium/pdfium.wasm')), join(dir, 'pdfium.wasm'));
writeFileSync(join(dir, 'package.json'), '{ "type": "module" }\n');

// The pages of the API description are copied, because their package would otherwise be installed for these files
// alone, together with another one that reports each installation.
const pages = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));
const PAGES = /^(?:swagger-ui(?:-bundle|-standalone-preset)?\.(?:js|css)|favicon-.*\.png)$/;
mkdirSync(join(dir, 'api-pages'));
for (const name of readdirSync(pages).filter((name) => PAGES.test(name) && name !== 'swagger-ui.js'))
  copyFileSync(join(pages, name), join(dir, 'api-pages', name));

const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
writeFileSync(join(dir, 'LICENSES.txt'), collectLicences([...modules, join(pages, 'package.json')]));
