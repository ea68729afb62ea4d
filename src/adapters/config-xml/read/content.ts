/** Converts checked `cw:Content` and `cw:Acl` elements: what is extracted from pages, and who may see it. */
import { type AclDefinition, type AclRule, parseAclFile } from '../../../domain/content/acl.js';
import type {
  ContentDefinition,
  FieldDefinition,
  FieldSource,
  Marker,
} from '../../../domain/content/content-definition.js';
import { parsePrincipals } from '../../../domain/content/principals.js';
import type { Place, Problem } from '../../../domain/crawl/place.js';
import type { Steps } from '../../../domain/steps.js';
import { parseDocument, XmlFault } from '../document.js';
import { collectDefaults, findOnlyChild, findValidChildren, interpretElement, type Node } from '../interpret.js';
import { Problems, TooManyProblems } from '../problems.js';
import * as content from '../schema/content.js';
import type { ReadContext } from './context.js';

type FieldNode = Node<typeof content.FIELD.attributes>;

export function readContents(crawler: Node, problems: Problems): { contents?: readonly ContentDefinition[] } {
  const contents = findValidChildren(crawler, content.CONTENT).map((node) => readContent(node, problems));
  const names = new Set<string | undefined>();
  for (const { name, place } of contents) {
    const description = name === undefined ? 'Content without a name' : `Content named ${name}`;
    if (names.has(name))
      problems.add('duplicate-name', `there is more than one ${description}: give each its own name`, place);
    if (name === 'none')
      problems.add(
        'bad-value',
        'name: none is reserved, because the option content="none" means no Content at all; choose a different name',
        place,
      );
    names.add(name);
  }
  return contents.length > 0 ? { contents } : {};
}

export interface ContentReadResult {
  /** Absent if there is an error. */
  readonly definition?: ContentDefinition;
  /** Problems with their places in the text. */
  readonly problems: readonly Problem[];
}

/** Reads a `cw:Content` element on its own, with any prefix. Variables are not available to it. */
export function readContentElement(xml: string): ContentReadResult {
  const problems = new Problems();
  try {
    const document = parseDocument(xml, content.CONTENT.name);
    if (document.root.local !== content.CONTENT.name) {
      const message = `unknown element ${document.root.name}: write ${content.CONTENT.name}`;
      problems.add('wrong-root', message, document.placeAt(document.root.start));
    }
    const node = interpretElement(document.root, content.CONTENT, { document, problems, env: {} });
    const definition = readContent(node as unknown as ContentNode, problems);
    return problems.hasErrors
      ? { problems: listReportableProblems(problems) }
      : { definition, problems: listReportableProblems(problems) };
  } catch (fault) {
    if (fault instanceof XmlFault) problems.add(fault.code, fault.message, fault.place);
    else if (!(fault instanceof TooManyProblems)) throw fault;
    return { problems: listReportableProblems(problems) };
  }
}

/** Omits the warning about an undeclared prefix, because the declaration is outside this text. */
const listReportableProblems = (problems: Problems): readonly Problem[] =>
  problems.toSorted().filter(({ code }) => code !== 'undeclared-prefix');

type ContentNode = Node<typeof content.CONTENT.attributes>;

function readContent({ values, place, ...rest }: ContentNode, problems: Problems): ContentDefinition {
  const node = { values, place, ...rest } as Node;
  const { name, markers, main, omitRepeated, metas, changeDetection } = values;
  const output = findOnlyChild(node, content.OUTPUT);
  const split = findOnlyChild(node, content.SPLIT)?.values;
  const {
    headings,
    markdown,
    chunks: size,
    chunkUnit: unit,
    chunkOverlap: overlap,
  } = output?.values ?? collectDefaults(content.OUTPUT);
  if (output && size !== undefined && overlap * 2 > size) {
    problems.add('bad-range', 'chunkOverlap is more than half of chunks: lower it', output.place);
  }
  return {
    ...(name === undefined ? {} : { name }),
    include: findValidChildren(node, content.INCLUDE).map((include) => include.values.select),
    exclude: findValidChildren(node, content.EXCLUDE).map((exclude) => exclude.values.select),
    markers: markers.filter((marker): marker is Marker => marker !== content.NO_MARKER),
    main,
    omitRepeated,
    metas,
    fields: findValidChildren(node, content.FIELD).flatMap((field) => readField(field, problems)),
    ...(split ? { split: { selector: split.select, id: split.id.toLowerCase() } } : {}),
    headings,
    markdown,
    ...(size === undefined ? {} : { chunks: { size, overlap, unit } }),
    changeDetection,
    place,
  };
}

function readField(node: FieldNode, problems: Problems): FieldDefinition[] {
  const { values, place } = node;
  const { name, match, type, multiple } = values;
  const [source, secondSource] = listFieldSources(values);
  if (!source || secondSource) {
    const message = `field ${name} requires exactly one of select, jsonld, meta and url`;
    problems.add(source ? 'bad-value' : 'missing-attribute', message, place);
    return [];
  }
  if (values.attribute !== undefined && source.kind !== 'select') {
    problems.add(
      'bad-value',
      `field ${name}: the attribute named attribute can only be combined with select, not with ${source.kind}`,
      place,
    );
    return [];
  }
  return [{ name, source, ...(match === undefined ? {} : { match }), type, multiple, place }];
}

function listFieldSources({ select, attribute, jsonld, meta, url }: FieldNode['values']): FieldSource[] {
  const sources: FieldSource[] = [];
  if (select !== undefined)
    sources.push({ kind: 'select', selector: select, ...(attribute === undefined ? {} : { attribute }) });
  if (jsonld !== undefined) sources.push({ kind: 'jsonld', path: jsonld });
  if (meta !== undefined) sources.push({ kind: 'meta', name: meta });
  if (url !== undefined) sources.push({ kind: 'url', part: url });
  return sources;
}

export function* readAcl(crawler: Node, context: ReadContext): Steps<{ acl?: AclDefinition }> {
  const node = findOnlyChild(crawler, content.ACL);
  if (!node) return {};
  const { values } = node;
  const inlineRules = findValidChildren(node as Node, content.ACL_RULE).map(
    ({ values: { url, allow, deny }, place }): AclRule => ({
      prefix: url,
      allow: readPrincipals('allow', allow, place, context),
      deny: readPrincipals('deny', deny, place, context),
    }),
  );
  return {
    acl: {
      place: node.place,
      default: readPrincipals('default', values.default, node.place, context),
      rules: [...(yield* readFileRules(node, context)), ...inlineRules],
      allowHeader: values.header?.toLowerCase(),
      denyHeader: values.denyHeader?.toLowerCase(),
      allowMeta: values.meta?.toLowerCase(),
      denyMeta: values.denyMeta?.toLowerCase(),
    },
  };
}

function readPrincipals(attribute: string, text: string, place: Place, { problems }: ReadContext): readonly string[] {
  const { names, problem } = parsePrincipals(text);
  if (problem !== undefined) problems.add('bad-value', `${attribute}: ${problem}`, place);
  return names;
}

function* readFileRules(
  { values: { file }, place }: Node<typeof content.ACL.attributes>,
  context: ReadContext,
): Steps<readonly AclRule[]> {
  const text = file === undefined ? undefined : context.readFile(file, place);
  if (file === undefined || text === undefined) return [];
  const { rules, problems } = yield* parseAclFile(text);
  for (const { line, message } of problems) context.problems.add('bad-rule-file', message, { file, line, column: 1 });
  return rules;
}
