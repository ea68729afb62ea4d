/** The same scenarios as on SQLite: what a crawl does does not depend on the database. */
process.env['CRAWLWAY_TEST_DATABASE'] = 'postgres';

await import('../scenarios/crawls-a-site-to-the-end.spec.js');
await import('../scenarios/the-index-follows-the-site.spec.js');
await import('../scenarios/every-row-of-the-error-table.spec.js');
