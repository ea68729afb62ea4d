/** What a text beside the configuration is for: crawl.rules, global.rules (OmniFind) or indexer.conf (mnoGoSearch). */
export const RULE_FILE_KINDS = ['crawl-space', 'global-crawl-space', 'server-records'] as const;
export type RuleFileKind = (typeof RULE_FILE_KINDS)[number];

/** Endings of the names of such files: nothing else beside the configuration is read as rules, or written over. */
export const RULE_FILE_ENDINGS = ['.rules', '.conf', '.txt'] as const;

/** A name that the configuration may not give to a file, whether or not there is one. */
export class FileRefused extends Error {
  override readonly name = 'FileRefused';
}
