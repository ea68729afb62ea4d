/** API operations whose names alone do not say what a user did. */
const ACTION_LABELS: Readonly<Record<string, string>> = {
  putConfiguration: 'Change the configuration',
  checkConfiguration: 'Check a configuration',
  restoreConfiguration: 'Restore an earlier configuration',
  previewConfiguration: 'Preview a configuration',
  testSinkOfConfiguration: 'Test a sink before saving it',
  insertRule: 'Add a rule',
  replaceRule: 'Change a rule',
  submitRoot: 'Add a start URL',
  removeRoot: 'Remove a start URL',
  submitUrlList: 'Add a list of start URLs',
  importPending: 'Import a pending file',
  setWeights: 'Set the source weights',
  putSecret: 'Set a secret',
  removeSecret: 'Remove a secret',
  pushAgain: 'Push documents again',
  adoptDocuments: "Take over another program's documents",
  switchSink: 'Move the alias of a sink',
  retryOrders: 'Resend refused orders',
  retryOrder: 'Resend an order',
  tellUrl: 'Announce a changed URL',
  tellUrls: 'Announce changed URLs',
  hubNotifies: 'Notification from a hub',
  lookAtPage: 'Look at a page',
  tryContent: 'Test how a page is read',
};

/** What an entry of the audit log is about: `pauseCrawler` becomes "Pause crawler". */
export function describeAction(operation: string): string {
  const label = ACTION_LABELS[operation];
  if (label !== undefined) return label;
  const phrase = operation.replace(
    /([a-z])([A-Z])/g,
    (_, lower: string, upper: string) => `${lower} ${upper.toLowerCase()}`,
  );
  return (phrase.charAt(0).toUpperCase() + phrase.slice(1)).replace(
    /\b(url|api)(s?)\b/gi,
    (_, abbreviation: string, pluralSuffix: string) => abbreviation.toUpperCase() + pluralSuffix,
  );
}
