/** What a text beside the configuration is for: crawl.rules, global.rules (OmniFind) or indexer.conf (mnoGoSearch). */
export const RULE_FILE_KINDS = ['crawl-space', 'global-crawl-space', 'server-records'] as const;
export type RuleFileKind = (typeof RULE_FILE_KINDS)[number];
