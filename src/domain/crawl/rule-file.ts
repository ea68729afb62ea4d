/**
 * The purpose of a text file next to the configuration: crawl.rules, global.rules (OmniFind) or indexer.conf
 * (mnoGoSearch).
 */
export const RULE_FILE_KINDS = ['crawl-space', 'global-crawl-space', 'server-records'] as const;
export type RuleFileKind = (typeof RULE_FILE_KINDS)[number];

/** Extensions of such files; no other file next to the configuration is read as rules or overwritten. */
export const RULE_FILE_ENDINGS = ['.rules', '.conf', '.txt'] as const;

/** The configuration names a file that it may not use, whether or not the file exists. */
export class FileRefused extends Error {
  override readonly name = 'FileRefused';
}
