/**
 * What a crawl does does not depend on the database: here those scenarios whose decisions lean most on what the store answers. All
 * the others on PostgreSQL: `npm run test:engines`.
 */
process.env['CRAWLWAY_TEST_DATABASE'] = 'postgres';

const FILES = [
  'deletions-that-wait-for-a-person',
  'one-document-of-two-crawlers',
  'pages-of-a-host-vanish',
  'the-index-follows-the-site',
];

for (const file of FILES) await import(`../scenarios/${file}.spec.ts`);
