/** Converts the elements of the schema to the form in which CodeMirror completes them. */
import type { ElementSpec } from '@codemirror/lang-xml';
import type { ElementFormDto } from '../../api/schema.js';
import { findPrefix, parseXml } from './xml-tree.js';

/** Default prefixes for text that declares none. */
const DEFAULT_PREFIXES: Readonly<Record<string, string>> = {
  'urn:crawlway:config:1': 'cw',
  'exa:com.exalead.actionrules.v21': 'ar',
};

/** Names the elements with the prefixes that this text uses. */
export function toElementSpecs(elements: readonly ElementFormDto[], text: string): ElementSpec[] {
  const root = parseXml(text);
  const names = new Map(
    elements.map(({ name, namespace }) => {
      const defaultPrefix = DEFAULT_PREFIXES[namespace] ?? '';
      const prefix = root ? findPrefix(root, namespace, defaultPrefix).prefix : defaultPrefix && `${defaultPrefix}:`;
      return [name, `${prefix}${name}`];
    }),
  );
  return elements.map(({ name, meaning, children, attributes }) => ({
    name: names.get(name) ?? name,
    top: name === 'CrawlConfig',
    children: children.map((child) => names.get(child) ?? child),
    completion: { info: stripMarkdown(meaning) },
    attributes: attributes.map((attribute) => ({
      name: attribute.name,
      values: attribute.choices ?? [],
      completion: { info: stripMarkdown(attribute.meaning), boost: attribute.required ? 1 : 0 },
    })),
  }));
}

const stripMarkdown = (markdown: string): string => markdown.replaceAll('`', '');
