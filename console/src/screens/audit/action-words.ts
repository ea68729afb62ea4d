/** API operations whose names alone do not say what a person did. */
const WORDS: Readonly<Record<string, string>> = {
  putConfiguration: 'Change the configuration',
  checkConfiguration: 'Check a configuration',
  restoreConfiguration: 'Restore an earlier configuration',
  previewConfiguration: 'Preview a configuration',
  testSinkOfConfiguration: 'Test a sink before putting it in force',
  insertRule: 'Add a rule',
  replaceRule: 'Change a rule',
  submitRoot: 'Add a start URL',
  removeRoot: 'Remove a start URL',
  submitUrlList: 'Add a list of start URLs',
  importPending: 'Import a pending file',
  setWeights: 'Set the source weights',
  pushAgain: 'Push documents again',
  retryOrder: 'Resend an order',
  tellUrl: 'Announce a changed URL',
  tellUrls: 'Announce changed URLs',
  hubNotifies: 'Notification from a hub',
  lookAtPage: 'Look at a page',
  tryContent: 'Test how a page is read',
};

/** What an entry of the audit log is about: `pauseCrawler` becomes "Pause crawler". */
export function actionText(operation: string): string {
  const known = WORDS[operation];
  if (known !== undefined) return known;
  const words = operation.replace(
    /([a-z])([A-Z])/g,
    (_, end: string, begin: string) => `${end} ${begin.toLowerCase()}`,
  );
  return (words.charAt(0).toUpperCase() + words.slice(1)).replace(
    /\b(url|api)(s?)\b/gi,
    (_, name: string, many: string) => name.toUpperCase() + many,
  );
}
