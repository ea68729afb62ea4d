/**
 * Generates the XML Schema and the configuration reference from the table. `npx vitest run
 * test/docs/configuration-files.spec.ts -u` writes them; without `-u`, the spec fails if they differ from the table.
 */

import { escapeAttribute } from '../../src/adapters/config-xml/markup.js';
import { PROBLEM_CODES } from '../../src/adapters/config-xml/problems.js';
import { URL_OPTIONS } from '../../src/adapters/config-xml/schema/policy.js';
import {
  type AttributeSpec,
  type Attributes,
  type ElementSpec,
  NAMESPACES,
  type Vocabulary,
} from '../../src/adapters/config-xml/schema/spec.js';
import { ELEMENTS } from '../../src/adapters/config-xml/schema.js';
import { LINT_CODES } from '../../src/domain/policy/lint/codes.js';

const VOCABULARIES: Readonly<Record<Vocabulary, { prefix: string; file: string; imports: readonly Vocabulary[] }>> = {
  crawl: { prefix: 'crawl', file: 'CrawlConfig.xsd', imports: ['rules', 'cw'] },
  rules: { prefix: 'ar', file: 'CrawlConfig-actionrules.xsd', imports: [] },
  cw: { prefix: 'cw', file: 'CrawlConfig-crawlway.xsd', imports: [] },
};

const listElements = (vocabulary: Vocabulary): ElementSpec[] =>
  [...ELEMENTS.values()].filter((spec) => spec.vocabulary === vocabulary);

/** Maps file names to contents: one file for each namespace, because an XML Schema has one target namespace. */
export function generateSchemas(): ReadonlyMap<string, string> {
  const vocabularies = Object.keys(VOCABULARIES) as Vocabulary[];
  return new Map(vocabularies.map((vocabulary) => [VOCABULARIES[vocabulary].file, generateSchema(vocabulary)]));
}

function generateSchema(vocabulary: Vocabulary): string {
  const { prefix, imports } = VOCABULARIES[vocabulary];
  const namespaces = [vocabulary, ...imports].map(
    (v) => `           xmlns:${VOCABULARIES[v].prefix}="${NAMESPACES[v][0]}"`,
  );
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!-- Generated from the table in src/adapters/config-xml/schema.ts. The server is more lenient than this schema. -->',
    '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"',
    ...namespaces,
    `           targetNamespace="${NAMESPACES[vocabulary][0]}" elementFormDefault="qualified">`,
    ...imports.map((v) => `  <xs:import namespace="${NAMESPACES[v][0]}" schemaLocation="${VOCABULARIES[v].file}"/>`),
    '  <!-- A value with an environment variable. -->',
    '  <xs:simpleType name="variable">',
    '    <xs:restriction base="xs:string"><xs:pattern value=".*\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}.*"/></xs:restriction>',
    '  </xs:simpleType>',
    ...listElements(vocabulary).flatMap((spec) => renderSchemaElement(spec, prefix)),
    '</xs:schema>',
    '',
  ].join('\n');
}

function renderSchemaElement(spec: ElementSpec, prefix: string): string[] {
  const children = spec.children.map((name) => {
    const vocabulary = ELEMENTS.get(name)?.vocabulary ?? spec.vocabulary;
    return `        <xs:element ref="${VOCABULARIES[vocabulary].prefix}:${name}"/>`;
  });
  const choice = ['      <xs:choice minOccurs="0" maxOccurs="unbounded">', ...children, '      </xs:choice>'];
  return [
    `  <xs:element name="${spec.name}">`,
    `    <xs:annotation><xs:documentation>${stripMarkdown(spec.meaning)}</xs:documentation></xs:annotation>`,
    `    <xs:complexType${spec.text === undefined ? '' : ' mixed="true"'}>`,
    ...(children.length > 0 ? choice : []),
    ...Object.entries(spec.attributes).flatMap(([name, attribute]) => renderSchemaAttribute(name, attribute, prefix)),
    '      <xs:anyAttribute namespace="##other" processContents="skip"/>',
    '    </xs:complexType>',
    '  </xs:element>',
  ];
}

function renderSchemaAttribute(name: string, attribute: AttributeSpec<unknown>, prefix: string): string[] {
  const names = [name, ...(attribute.aliases ?? [])];
  const use = attribute.required && names.length === 1 ? ' use="required"' : '';
  const defaultNote = attribute.default === undefined ? '' : ` Default: ${escapeAttribute(attribute.default)}.`;
  return names.flatMap((variant) => [
    `      <xs:attribute name="${variant}"${use}>`,
    `        <xs:annotation><xs:documentation>${stripMarkdown(attribute.meaning)}${defaultNote}</xs:documentation></xs:annotation>`,
    `        <xs:simpleType><xs:union memberTypes="${prefix}:variable">`,
    `          <xs:simpleType>${attribute.type.xsd}</xs:simpleType>`,
    '        </xs:union></xs:simpleType>',
    '      </xs:attribute>',
  ]);
}

const stripMarkdown = (markdown: string): string => escapeAttribute(markdown.replaceAll('`', ''));

const INTRODUCTION = `# Configuration reference

Every element and attribute of \`CrawlConfig.xml\`. This page and the XML Schema for your editor,
\`config/CrawlConfig.xsd\`, are generated from the table that the server uses to read the file. For complete examples, see the [how-tos](how-to.md);
for the purpose of the parts, see the [concepts](concepts.md).

- The file is \`CrawlConfig.xml\` in the CloudView dialect. Its elements are recognized in the namespaces of versions 20 and 21 or
  without a namespace, with any prefix or none. Crawlway's own elements are under \`${NAMESPACES.cw[0]}\`, usually with the
  prefix \`cw\`.
- \`\${NAME}\` in secrets, and in addresses and user names of sinks, proxies and logins, is replaced with the value of an environment variable. Its name must begin with \`CRAWLWAY_SECRET_\` or be listed in \`CRAWLWAY_ALLOW_VARIABLES\`.
  \`\${env:NAME}\` in any attribute is replaced with the value of the environment variable \`CRAWLWAY_ENV_NAME\`, which is not secret: it is displayed, logged and sent like any other text.
  \`\${file:/run/secrets/NAME}\` is replaced with the content of that file, \`\${helper:NAME}\` with the output of the program in \`CRAWLWAY_SECRETS_HELPER\` (docs/logins.md).
- \`yes\`, \`on\` and \`1\` mean \`true\`; \`no\`, \`off\` and \`0\` mean \`false\`.
- Files that the configuration names must be in its own folder or a folder below it. The path of a \`file\` sink is relative to the folder for file sinks (CRAWLWAY_FILE_SINKS, by default the data directory).
- Comments, order, unknown elements and unknown attributes are kept when the server writes the file. Elements and attributes of CloudView
  that Crawlway does not use lead to a warning. A likely misspelling is an error, and so is anything unknown inside a rule or one of Crawlway's own elements, because
  it would silently change what is crawled.
- Limits: 16 MiB, 500,000 elements, 64 levels of nesting, and 65,536 characters for a tag with its attributes. Document type declarations are not allowed, and the only entities are the five predefined in XML.
- All problems are reported at once, with file, line and column (\`crawlway check\`); a file with errors never replaces a working one.
`;

/** Returns the content of docs/reference.md. */
export function generateReference(): string {
  return [
    INTRODUCTION,
    '## Elements of CloudView\n',
    ...listElements('crawl').map(renderReferenceElement),
    '## Match elements\n',
    ...listElements('rules').map(renderReferenceElement),
    '## Elements of Crawlway\n',
    ...listElements('cw').map(renderReferenceElement),
    '## Options of conditions\n',
    'The options that `<cw:option name="…" value="…"/>` can set for the URLs that reach it.\n',
    renderAttributeTable(URL_OPTIONS),
    '## Problem codes\n',
    renderProblemTable(),
    '## Warnings of the linter\n',
    'What `crawlway check` reports about a configuration that is usable but may not do what you intended.\n',
    renderLintTable(),
  ]
    .join('\n')
    .replace(/\bdocs\/([\w-]+\.md)/g, '[docs/$1]($1)');
}

function renderReferenceElement(spec: ElementSpec): string {
  const parents = [...ELEMENTS.values()]
    .filter((candidate) => candidate.children.includes(spec.name))
    .map(({ name }) => name);
  return [
    `### ${formatTagName(spec)}\n`,
    `${spec.meaning}\n`,
    parents.length === 0
      ? ''
      : `Allowed in: ${parents.map(formatInlineCode).join(', ')}${spec.once ? ', at most once' : ''}.\n`,
    spec.children.length === 0 ? '' : `Holds: ${spec.children.map(formatInlineCode).join(', ')}.\n`,
    spec.text === undefined ? '' : `Text: ${spec.text}\n`,
    Object.keys(spec.attributes).length === 0 ? '' : renderAttributeTable(spec.attributes),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

const formatTagName = (spec: ElementSpec): string =>
  spec.vocabulary === 'crawl' ? spec.name : `${VOCABULARIES[spec.vocabulary].prefix}:${spec.name}`;

const formatInlineCode = (name: string): string => `\`${name}\``;

const escapeCell = (text: string): string => text.replaceAll('|', '\\|');

function renderAttributeTable(attributes: Attributes): string {
  const rows = Object.entries(attributes).map(([name, attribute]) => {
    const names = [name, ...(attribute.aliases ?? [])].map(formatInlineCode).join(', ');
    const unit = attribute.unit === undefined ? '' : `, ${attribute.unit}`;
    const secret = attribute.secret ? ' Secret.' : '';
    return `| ${names} | ${escapeCell(attribute.type.label)}${unit} | ${renderDefault(attribute)} | ${escapeCell(attribute.meaning)}${secret} |`;
  });
  return ['| name | value | default | meaning |', '|---|---|---|---|', ...rows, ''].join('\n');
}

function renderDefault(attribute: AttributeSpec<unknown>): string {
  if (attribute.required) return 'required';
  return attribute.default === undefined ? '' : escapeCell(formatInlineCode(attribute.default));
}

function renderProblemTable(): string {
  const rows = Object.entries(PROBLEM_CODES).map(
    ([code, entry]) => `| \`${code}\` | ${entry.severity} | ${entry.meaning} |`,
  );
  return ['| code | severity | meaning |', '|---|---|---|', ...rows, ''].join('\n');
}

function renderLintTable(): string {
  const rows = Object.entries(LINT_CODES).map(([code, meaning]) => `| \`${code}\` | ${meaning} |`);
  return ['| code | meaning |', '|---|---|', ...rows, ''].join('\n');
}
