/** Names of the formats. The command line shows them in its help, without loading what reads them. */
export const IMPORT_FORMATS = [
  'norconex',
  'nutch',
  'elastic',
  'stormcrawler',
  'heritrix',
  'gsa',
  'scrapy',
  'fess',
  'omnifind',
  'velocity',
  'fdse',
  'mnogosearch',
  'dataparksearch',
  'docsearch',
  'algolia',
  'manifoldcf',
] as const;
