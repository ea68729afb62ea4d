import type { Vocabulary } from './spec.js';

/**
 * Returns the vocabulary of a namespace. The product's files use namespaces with different version numbers or none at
 * all, and fragments of them may use an undeclared prefix; all of these are accepted.
 */
export function findVocabulary(namespace: string | undefined, prefix: string): Vocabulary | 'undeclared' | 'foreign' {
  if (namespace === undefined) return prefix === '' ? 'crawl' : 'undeclared';
  if (/^exa:com\.exalead\.mercury\.mami\.crawl\.v\d+$/.test(namespace)) return 'crawl';
  if (/^exa:com\.exalead\.actionrules\.v\d+$/.test(namespace)) return 'rules';
  return namespace === 'urn:crawlway:config:1' ? 'cw' : 'foreign';
}
