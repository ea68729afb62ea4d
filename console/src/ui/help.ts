/** The documentation page for each screen; the server serves it at /help. */
const PAGES: Readonly<Record<string, string>> = {
  '/': 'operations.html#monitoring',
  '/coverage': 'concepts.html#what-became-of-a-url',
  '/changes': 'how-to-every-day.html#what-changed-since-yesterday',
  '/sources': 'concepts.html#when-and-how-fast',
  '/urls': 'concepts.html#what-became-of-a-url',
  '/url': 'reasons.html',
  '/try': 'reasons.html',
  '/configuration': 'reference.html',
  '/hosts': 'concepts.html#when-and-how-fast',
  '/host': 'concepts.html#when-and-how-fast',
  '/errors': 'reasons.html#errors-why-a-visit-failed',
  '/refused': 'reasons.html#reasons-what-became-of-a-url',
  '/roots': 'reference.html#root',
  '/logins': 'logins.html#looking-at-a-login',
  '/plugins': 'plugins.html#when-it-fails',
  '/push': 'sinks.html',
  '/audit': 'operations.html',
  '/start': 'tutorial.html',
};

export const getHelpLink = (path: string): string => `/help/${PAGES[path] ?? ''}`;
