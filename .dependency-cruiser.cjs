/**
 * The arrows of docs/architecture.md as errors: main → server → (engine, adapters) → engine/ports → domain.
 * @type {import('dependency-cruiser').IConfiguration}
 */
const SPEC = '\\.spec\\.ts$';

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Two files that need each other, for types too, are one thing in two places.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      comment: 'A file that nobody imports is dead, unless it is a door (main, thread, spec).',
      severity: 'error',
      from: { orphan: true, pathNot: ['\\.d\\.ts$', '\\.thread\\.ts$', '(^|/)main\\.ts$'] },
      to: {},
    },
    {
      name: 'domain-is-pure',
      comment: 'domain/ imports nothing but domain/, and of packages only those that compute.',
      severity: 'error',
      from: { path: '^src/domain/' },
      to: { pathNot: ['^src/domain/', '^node_modules/(re2js|croner)/'] },
    },
    {
      name: 'engine-knows-domain-only',
      comment:
        'engine/ imports engine/ and domain/; the rest of the world comes through ports. Hashing (crypto) is a pure function.',
      severity: 'error',
      from: { path: '^src/engine/' },
      to: { pathNot: ['^src/(engine|domain)/', '^crypto$'] },
    },
    {
      name: 'ports-know-domain-only',
      severity: 'error',
      from: { path: '^src/engine/ports/' },
      to: { pathNot: ['^src/(engine/ports|domain)/'] },
    },
    {
      name: 'the-crawl-does-not-know-who-asks',
      comment: 'A URL lives the same life whether a person, the API or another node asks: crawl/, delivery/, page/ import neither views nor control/ nor cluster/.',
      severity: 'error',
      from: { path: '^src/engine/(crawl|delivery|page|support|ports)/' },
      to: { path: '^src/engine/((control|cluster|views)/|engine|create-parts|create-services)' },
    },
    {
      name: 'parts-name-what-they-need',
      comment: 'The list of everything that crawlers share is for what puts parts together; a part has an interface of its own.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/engine/(engine|create-parts|create-services|crawl/create-crawler)\\.ts$'] },
      to: { path: '^src/engine/crawl/services\\.ts$' },
    },
    {
      name: 'page-threads-know-no-crawler',
      comment: 'What runs in a page thread has no frontier, no store and no sinks.',
      severity: 'error',
      from: { path: '^src/engine/(page|support)/' },
      to: { path: '^src/engine/(crawl|delivery)/' },
    },
    {
      name: 'delivery-knows-no-crawler',
      severity: 'error',
      from: { path: '^src/engine/delivery/' },
      to: { path: '^src/engine/crawl/' },
    },
    {
      name: 'views-are-data',
      severity: 'error',
      from: { path: '^src/engine/views/' },
      to: { path: '^src/engine/(control|cluster)/|^src/engine/engine' },
    },
    {
      name: 'adapters-know-ports-only',
      comment: 'An adapter imports its own folder, engine/ports, domain and packages; the entry of a thread puts its thread together.',
      severity: 'error',
      from: { path: '^src/adapters/([^/]+)/', pathNot: '\\.thread\\.ts$' },
      to: { path: '^(src|demo-index|console|bench|test)/', pathNot: ['^src/adapters/$1/', '^src/engine/ports/', '^src/domain/'] },
    },
    {
      name: 'adapters-are-named-in-one-place',
      comment: 'engine.module.ts alone puts ports and adapters together, and the entry of a thread for its thread.',
      severity: 'error',
      from: { path: '^src/(server|cli|main)', pathNot: ['^src/server/engine\\.module\\.ts$', '^src/server/[^/]+\\.thread\\.ts$'] },
      to: { path: '^src/adapters/' },
    },
    {
      name: 'server-does-not-know-the-command-line',
      severity: 'error',
      from: { path: '^src/server/' },
      to: { path: '^src/(cli/|main\\.ts)' },
    },
    {
      name: 'index-stands-alone',
      comment: 'The bundled index is a downstream like any other: it knows nothing of Crawlway.',
      severity: 'error',
      from: { path: '^demo-index/' },
      to: { path: '^(src|console|bench|test)/' },
    },
    {
      name: 'importers-stand-alone',
      comment: 'They convert text to text, once for each user, and know nothing of the program.',
      severity: 'error',
      from: { path: '^import/' },
      to: { pathNot: ['^import/', '^node_modules/(css-select|fast-xml-parser|js-yaml|re2js|tldts)/'] },
    },
    {
      name: 'importers-are-loaded-by-their-command',
      comment: 'The help names the formats; everything else is loaded when it is needed.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/cli/import(?:-proof)?\\.ts$'] },
      to: { path: '^import/', pathNot: ['^import/formats\\.ts$'] },
    },
    {
      name: 'client-stands-alone',
      comment: 'It runs in browsers too.',
      severity: 'error',
      from: { path: '^client/' },
      to: { pathNot: ['^client/'] },
    },
    {
      name: 'console-uses-the-api-only',
      severity: 'error',
      from: { path: '^console/' },
      to: { path: '^(src|demo-index|bench|test)/' },
    },
    {
      name: 'product-does-not-know-tests',
      severity: 'error',
      from: { path: '^(src|client|import|demo-index)/' },
      to: { path: '^(test|bench)/' },
    },
    {
      name: 'packages-are-declared',
      comment: 'What is imported stands in package.json, not only in the tree that something else brought.',
      severity: 'error',
      from: { path: '^(src|import|demo-index)/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'npm-dev'] },
    },
    {
      name: 'everything-resolves',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Specs may reach anywhere.
    exclude: { path: ['^(dist|\\.runtime|console/dist)/', SPEC] },
    parser: 'swc',
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
