/**
 * The kinds of text files next to the configuration: crawl.rules and global.rules (OmniFind), and indexer.conf
 * (mnoGoSearch).
 */
export const RULE_FILE_KINDS = ['crawl-space', 'global-crawl-space', 'server-records'] as const;
export type RuleFileKind = (typeof RULE_FILE_KINDS)[number];

/** Extensions of such files; no other file next to the configuration is read as rules or overwritten. */
export const RULE_FILE_EXTENSIONS = ['.rules', '.conf', '.txt'] as const;

/** Thrown if the configuration names a file that it may not use, whether or not the file exists. */
export class FileRefused extends Error {
  override readonly name = 'FileRefused';
}
