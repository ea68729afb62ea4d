/** Renames an element together with everything in the configuration that refers to it. */
import { getAttributeValue, setAttribute, type XmlElement } from './xml-tree.js';

interface Reference {
  readonly element: string;
  readonly attribute: string;
  /** For options of conditions: the name of the option. */
  readonly option?: string;
}

const optionReference = (option: string): Reference => ({ element: 'option', attribute: 'value', option });

const REFERENCES: Readonly<Record<string, readonly Reference[]>> = {
  Sink: [{ element: 'PushTo', attribute: 'sink' }],
  Fetcher: [{ element: 'FetchWith', attribute: 'fetcher' }, optionReference('fetcher')],
  Login: [optionReference('login')],
  Content: [optionReference('content')],
};

/** The attributes that refer to the element by its name; for a Content, only those in its crawler. */
export function findReferences(root: XmlElement, element: XmlElement): readonly [XmlElement, Reference][] {
  const name = getAttributeValue(element, 'name');
  const kinds = REFERENCES[element.name] ?? [];
  if (name === undefined || kinds.length === 0) return [];
  const within = element.name === 'Content' ? (root.children.find((one) => contains(one, element)) ?? root) : root;
  return listAllElements(within).flatMap((one) =>
    kinds.flatMap((kind): [XmlElement, Reference][] => (isReference(one, kind, name) ? [[one, kind]] : [])),
  );
}

/** Possible values of an attribute that refers to another element. */
export function listPossibleNames(root: XmlElement, element: string, attribute: string): readonly string[] {
  const kind = Object.keys(REFERENCES).find((name) =>
    REFERENCES[name]!.some((one) => one.element === element && one.attribute === attribute && !one.option),
  );
  return listAllElements(root)
    .filter(({ name }) => name === kind)
    .sort((a, b) => a.start - b.start)
    .flatMap((one) => getAttributeValue(one, 'name') ?? []);
}

/** The text with the element and all references to it renamed. */
export function renameElement(xml: string, root: XmlElement, element: XmlElement, name: string): string {
  const changes: [XmlElement, string][] = [
    [element, 'name'],
    ...findReferences(root, element).map(([one, { attribute }]): [XmlElement, string] => [one, attribute]),
  ];
  // In reverse order, so that earlier positions stay valid.
  return changes
    .sort(([a], [b]) => b.start - a.start)
    .reduce((text, [one, attribute]) => setAttribute(text, one, attribute, name), xml);
}

const isReference = (one: XmlElement, { element, attribute, option }: Reference, name: string): boolean =>
  one.name === element &&
  getAttributeValue(one, attribute) === name &&
  (option === undefined || getAttributeValue(one, 'name') === option);

const contains = (outer: XmlElement, inner: XmlElement): boolean =>
  outer.start <= inner.start && inner.end <= outer.end;

function listAllElements(root: XmlElement): XmlElement[] {
  const all: XmlElement[] = [];
  const open = [root];
  for (let one = open.pop(); one; one = open.pop()) {
    all.push(one);
    open.push(...one.children);
  }
  return all;
}
