/** Finds crawlers, their child elements and the namespace prefixes in scope in a configuration document. */
import type { Problem } from '../../../domain/crawl/place.js';
import { parseDocument, type XmlDocument, type XmlElement } from '../document.js';
import type { Prefixes } from '../rule-json.js';
import { findVocabulary } from '../schema/spec.js';

export interface OpenedCrawler {
  readonly document: XmlDocument;
  /** The Crawler element. */
  readonly element: XmlElement;
}

/** Thrown if an edit is not possible; nothing has been changed. */
export class EditError extends Error {
  override readonly name = 'EditError';
  constructor(
    readonly code: 'unknown-crawler' | 'unknown-rule' | 'bad-index' | 'bad-rule' | 'bad-attribute',
    message: string,
    readonly problems: readonly Problem[] = [],
  ) {
    super(message);
  }
}

/** @throws EditError if there is no such crawler */
export function openCrawler(xml: string, crawler: string): OpenedCrawler {
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

/** Returns the namespace prefixes to use for rules inside the Crawler element. */
export function findPrefixes({ element }: OpenedCrawler): Prefixes {
  const declarations = listNamespaceDeclarations(element);
  const rules = declarations.find(({ uri }) => findVocabulary(uri, 'x') === 'rules');
  return { crawl: element.prefix, rules: rules?.prefix ?? element.prefix };
}

export function listNamespaceDeclarations(element: XmlElement): { prefix: string; uri: string }[] {
  const declarations: { prefix: string; uri: string }[] = [];
  for (let scope: XmlElement | undefined = element; scope; scope = scope.parent) {
    for (const { name, prefix, local, value } of scope.attributes) {
      const declaredPrefix = name === 'xmlns' ? '' : prefix === 'xmlns' ? local : undefined;
      if (declaredPrefix !== undefined && !declarations.some((declaration) => declaration.prefix === declaredPrefix)) {
        declarations.push({ prefix: declaredPrefix, uri: value });
      }
    }
  }
  return declarations;
}
