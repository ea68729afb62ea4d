/**
 * The named suites: the projects of vitest.config.ts that each one runs, one after the other, with their environment. Every spec
 * file belongs to one project. `npm test` runs `gate`, `npm run test:NAME` the others, `npm run test:all` all of them. The
 * projects of `gate` run beside each other, so the one that takes longest comes first.
 */
export const SUITES = {
  gate: { projects: ['scenarios', 'units', 'api', 'processes', 'worlds'] },
  worlds: { projects: ['worlds'], env: { CRAWLWAY_TEST_WORLDS: 'all' } },
  machine: { projects: ['machine'] },
  growth: { projects: ['growth'] },
  description: { projects: ['description'] },
  console: { projects: ['console'] },
  postgresql: { projects: ['postgresql', 'scenarios'], env: { CRAWLWAY_TEST_DATABASE: 'postgres' } },
  engines: { projects: ['engines'] },
};
