/** Edits a crawler's source weights and attributes. The rest of the text is unchanged. */
import type { SourceName } from '../../../domain/frontier/sources.js';
import { findCanonicalAttributeName } from '../interpret.js';
import { escapeAttribute } from '../markup.js';
import { CRAWLER } from '../schema/crawl.js';
import { type ElementSpec, NAMESPACES } from '../schema/spec.js';
import { appendChild, applySplices, insertBefore, removeElement, type Splice, setAttribute } from '../splice.js';
import {
  EditError,
  findChildren,
  formatQualifiedName,
  getAttributeValue,
  listNamespaceDeclarations,
  openCrawler,
} from './scope.js';

export function setWeights(
  xml: string,
  crawler: string,
  weights: Readonly<Partial<Record<SourceName, number>>>,
): string {
  let text = xml;
  for (const [name, weight] of Object.entries(weights)) text = setWeight(text, crawler, name, weight);
  return text;
}

/** Sets attributes of a Crawler. A value of undefined removes the attribute, so that its default applies. */
export function setCrawlerAttributes(
  xml: string,
  crawler: string,
  attributes: Readonly<Record<string, string | number | boolean | undefined>>,
): string {
  const { document, element } = openCrawler(xml, crawler);
  const splices = Object.entries(attributes).map(([name, value]) => {
    const text = value === undefined ? undefined : String(value);
    checkAttribute(name, text, CRAWLER);
    return setAttribute(document, element, name, text);
  });
  return applySplices(xml, mergeInsertions(splices));
}

export function removeCrawler(xml: string, crawler: string): string {
  const { document, element } = openCrawler(xml, crawler);
  return applySplices(xml, [removeElement(document, element)]);
}

function setWeight(xml: string, crawler: string, name: string, weight: number): string {
  const { document, element } = openCrawler(xml, crawler);
  const scheduler = findChildren(element, 'CrawlSchedulerConfig')[0];
  const source =
    scheduler && findChildren(scheduler, 'UrlSource').find((child) => getAttributeValue(child, 'name') === name);
  if (source) return applySplices(xml, [setAttribute(document, source, 'weight', String(weight))]);
  const cwNamespace = listNamespaceDeclarations(element).find(({ uri }) => uri === NAMESPACES.cw[0]);
  const tag = cwNamespace
    ? `${cwNamespace.prefix}:UrlSource`.replace(/^:/, '')
    : `cw:UrlSource xmlns:cw="${NAMESPACES.cw[0]}"`;
  const sourceXml = `<${tag} name="${escapeAttribute(name)}" weight="${weight}"/>`;
  if (scheduler) return applySplices(xml, [appendChild(document, scheduler, sourceXml)]);
  const wrapperName = formatQualifiedName('CrawlSchedulerConfig', element.prefix);
  const lines = [`<${wrapperName}>`, `  ${sourceXml}`, `</${wrapperName}>`];
  const firstChild = element.children[0];
  return applySplices(xml, [
    firstChild ? insertBefore(document, firstChild, lines) : appendChild(document, element, lines),
  ]);
}

function checkAttribute(name: string, value: string | undefined, spec: ElementSpec): void {
  const attribute = spec.attributes[findCanonicalAttributeName(name, spec) ?? ''];
  if (!attribute) throw new EditError('bad-attribute', `${spec.name} has no attribute ${name}`);
  if (value === undefined) {
    if (attribute.required) throw new EditError('bad-attribute', `${spec.name} requires ${name}`);
    return;
  }
  const parsed = attribute.type.parse(value);
  if (!parsed.ok && !value.includes('${')) throw new EditError('bad-attribute', `${name}: expected ${parsed.wanted}`);
}

/** Merges insertions at the same place into one, in the given order, because splices must not overlap. */
function mergeInsertions(splices: readonly Splice[]): Splice[] {
  const merged: Splice[] = [];
  for (const splice of splices) {
    const index = merged.findIndex(
      (candidate) => candidate.start === splice.start && candidate.end === splice.end && splice.start === splice.end,
    );
    const existing = merged[index];
    if (existing) merged[index] = { ...existing, text: existing.text + splice.text };
    else merged.push(splice);
  }
  return merged;
}
