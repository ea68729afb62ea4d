import type { Vocabulary } from './spec.js';

/**
 * The vocabulary that a namespace stands for. The product's files come with namespaces of version 20 or 21, with none
 * at all, or as fragments with an undeclared prefix; all of these are accepted.
 */
export function findVocabulary(namespace: string | undefined, prefix: string): Vocabulary | 'undeclared' | 'foreign' {
  if (namespace === undefined) return prefix === '' ? 'crawl' : 'undeclared';
  if (/^exa:com\.exalead\.mercury\.mami\.crawl\.v\d+$/.test(namespace)) return 'crawl';
  if (/^exa:com\.exalead\.actionrules\.v\d+$/.test(namespace)) return 'rules';
  return namespace === 'urn:crawlway:config:1' ? 'cw' : 'foreign';
}
