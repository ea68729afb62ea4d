/** What is taken of pages: from checked elements to definitions. */
import type {
  ContentDefinition,
  FieldDefinition,
  FieldSource,
  Marker,
} from '../../../domain/content/content-definition.js';
import { all, defaults, type Node, one } from '../interpret.js';
import type { Problems } from '../problems.js';
import * as content from '../schema/content.js';

type FieldNode = Node<typeof content.FIELD.attributes>;

export function readContents(crawler: Node, problems: Problems): { contents?: readonly ContentDefinition[] } {
  const contents = all(crawler, content.CONTENT).map((node) => readContent(node, problems));
  const names = new Set<string | undefined>();
  for (const { name, place } of contents) {
    const which = name === undefined ? 'Content without a name' : `Content named ${name}`;
    if (names.has(name)) problems.add('duplicate-name', `there are two of ${which}: give each its own name`, place);
    if (name === 'none')
      problems.add('bad-value', 'name: the option content="none" means no Content at all; give another name', place);
    names.add(name);
  }
  return contents.length > 0 ? { contents } : {};
}

function readContent(
  { values, place, ...rest }: Node<typeof content.CONTENT.attributes>,
  problems: Problems,
): ContentDefinition {
  const node = { values, place, ...rest } as Node;
  const { name, markers, main, metas, changeDetection } = values;
  const output = one(node, content.OUTPUT);
  const split = one(node, content.SPLIT)?.values;
  const {
    headings,
    markdown,
    chunks: size,
    chunkUnit: unit,
    chunkOverlap: overlap,
  } = output?.values ?? defaults(content.OUTPUT);
  if (output && size !== undefined && overlap * 2 > size) {
    problems.add('bad-range', 'chunkOverlap is above half of chunks: make it smaller', output.place);
  }
  return {
    ...(name === undefined ? {} : { name }),
    include: all(node, content.INCLUDE).map((include) => include.values.select),
    exclude: all(node, content.EXCLUDE).map((exclude) => exclude.values.select),
    markers: markers.filter((marker): marker is Marker => marker !== content.NO_MARKER),
    main,
    metas,
    fields: all(node, content.FIELD).flatMap((field) => readField(field, problems)),
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
  const [source, second] = sourcesOf(values);
  if (!source || second) {
    const message = `field ${name} needs exactly one of select, jsonld, meta and url`;
    problems.add(source ? 'bad-value' : 'missing-attribute', message, place);
    return [];
  }
  if (values.attribute !== undefined && source.kind !== 'select') {
    problems.add('bad-value', `field ${name}: attribute is of the elements of select; ${source.kind} has none`, place);
    return [];
  }
  return [{ name, source, ...(match === undefined ? {} : { match }), type, multiple, place }];
}

function sourcesOf({ select, attribute, jsonld, meta, url }: FieldNode['values']): FieldSource[] {
  const sources: FieldSource[] = [];
  if (select !== undefined)
    sources.push({ kind: 'select', selector: select, ...(attribute === undefined ? {} : { attribute }) });
  if (jsonld !== undefined) sources.push({ kind: 'jsonld', path: jsonld });
  if (meta !== undefined) sources.push({ kind: 'meta', name: meta });
  if (url !== undefined) sources.push({ kind: 'url', part: url });
  return sources;
}
