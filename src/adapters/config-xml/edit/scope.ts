/** Navigation in a configuration document: crawlers, their rules, and the prefixes in force. */
import { parseDocument, type XmlDocument, type XmlElement } from '../document.js';
import type { Prefixes } from '../rule-json.js';
import { findVocabulary } from '../schema/vocabulary.js';
import { EditError } from './error.js';

export interface Opened {
  readonly document: XmlDocument;
  /** The Crawler element. */
  readonly element: XmlElement;
}

/** @throws EditError if there is no such crawler */
export function openCrawler(xml: string, crawler: string): Opened {
  const document = parseDocument(xml, 'CrawlConfig.xml');
  const element = findChildren(document.root, 'Crawler').find((child) => getAttributeValue(child, 'name') === crawler);
  if (!element) throw new EditError('unknown-crawler', `there is no crawler ${crawler}`);
  return { document, element };
}

export const findChildren = (parent: XmlElement, local: string): XmlElement[] =>
  parent.children.filter(
    (child) => child.local === local && findVocabulary(child.namespace, child.prefix) !== 'foreign',
  );

export const getAttributeValue = (element: XmlElement, local: string): string | undefined =>
  element.attributes.find((attribute) => attribute.local === local)?.value;

export const formatQualifiedName = (local: string, prefix: string): string =>
  prefix === '' ? local : `${prefix}:${local}`;

/** The prefixes for rules that are in force inside the crawler's element. */
export function findPrefixes({ element }: Opened): Prefixes {
  const inScope = listNamespaceDeclarations(element);
  const rules = inScope.find(({ uri }) => findVocabulary(uri, 'x') === 'rules');
  return { crawl: element.prefix, rules: rules?.prefix ?? element.prefix };
}

export function listNamespaceDeclarations(element: XmlElement): { prefix: string; uri: string }[] {
  const found: { prefix: string; uri: string }[] = [];
  for (let scope: XmlElement | undefined = element; scope; scope = scope.parent) {
    for (const { name, prefix, local, value } of scope.attributes) {
      const declared = name === 'xmlns' ? '' : prefix === 'xmlns' ? local : undefined;
      if (declared !== undefined && !found.some((other) => other.prefix === declared)) {
        found.push({ prefix: declared, uri: value });
      }
    }
  }
  return found;
}
