// In the style of a backup from the editor.
new Crawler({
  appId: 'APP',
  apiKey: 'key-of-nobody',
  rateLimit: 20,
  maxDepth: 8,
  startUrls: ['SITE/'],
  sitemaps: [],
  ignoreCanonicalTo: false,
  discoveryPatterns: ['SITE/**'],
  exclusionPatterns: ['**/private/**', '**/*.{zip,exe}'],
  schedule: 'at 03:00 on Monday',
  actions: [
    {
      indexName: 'manuals',
      pathsToMatch: ['SITE/**'],
      recordExtractor: ({ $, helpers }) => {
        $('.hash-link').remove();
        return helpers.docsearch({
          recordProps: { lvl0: { selectors: '', defaultValue: 'Manual' }, lvl1: ['h1'], content: 'p, a, body' },
          indexHeadings: true,
        });
      },
    },
  ],
});
