/**
 * What a crawl does does not depend on the database: here those scenarios whose decisions lean most on what the store answers. All
 * the others on PostgreSQL: `npm run test:postgresql`.
 */
process.env['CRAWLWAY_TEST_DATABASE'] = 'postgres';

const FILES = ['one-document-of-two-crawlers', 'sites-say-what-has-changed'];

for (const file of FILES) await import(`../scenarios/${file}.spec.ts`);
