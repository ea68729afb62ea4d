/** Finds what may be written at a position in the configuration, for completion while typing. */
import type { ElementSpec } from '@codemirror/lang-xml';
import type { ElementFormDto } from '../../api/schema.js';
import { findPrefix, readXml } from './xml-tree.js';

/** Usual prefixes, for a text that declares none. */
const USUAL: Readonly<Record<string, string>> = {
  'urn:crawlway:config:1': 'cw',
  'exa:com.exalead.actionrules.v21': 'ar',
};

/** The elements under their names in this text, which depend on its prefixes. */
export function toElementSpecs(elements: readonly ElementFormDto[], text: string): ElementSpec[] {
  const root = readXml(text);
  const names = new Map(
    elements.map(({ name, namespace }) => {
      const usual = USUAL[namespace] ?? '';
      const prefix = root ? findPrefix(root, namespace, usual).prefix : usual && `${usual}:`;
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
