/** The page of the documentation for each screen; the server has it at /help. */
const PAGES: Readonly<Record<string, string>> = {
  '/': 'operations.html#monitoring',
  '/coverage': 'operations.html#monitoring',
  '/sources': 'reference.html#crawlschedulerconfig',
  '/urls': 'glossary.html',
  '/url': 'reasons.html',
  '/try': 'reasons.html',
  '/configuration': 'reference.html',
  '/hosts': 'freshness.html',
  '/host': 'freshness.html',
  '/errors': 'reasons.html#errors-why-a-visit-failed',
  '/refused': 'reasons.html#reasons-what-became-of-a-url',
  '/roots': 'reference.html#root',
  '/logins': 'logins.html#looking-at-a-login',
  '/plugins': 'plugins.html#when-it-fails',
  '/push': 'document-shape.html',
  '/audit': 'operations.html',
  '/start': 'tutorial.html',
};

export const helpLink = (path: string): string => `/help/${PAGES[path] ?? ''}`;
