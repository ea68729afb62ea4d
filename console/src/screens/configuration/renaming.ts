/** Renames an element together with everything in the configuration that refers to it. */
import { getAttributeValue, setAttribute, type XmlElement } from './xml-tree.js';

interface Reference {
  readonly element: string;
  readonly attribute: string;
  /** Name of the option if the element is an option of conditions. */
  readonly option?: string;
}

const createOptionReference = (option: string): Reference => ({ element: 'option', attribute: 'value', option });

const REFERENCES: Readonly<Record<string, readonly Reference[]>> = {
  Sink: [{ element: 'PushTo', attribute: 'sink' }],
  Fetcher: [{ element: 'FetchWith', attribute: 'fetcher' }, createOptionReference('fetcher')],
  Login: [createOptionReference('login')],
  Content: [createOptionReference('content')],
};

/** The attributes that refer to the element by its name; for a Content, only those in its crawler. */
export function findReferences(root: XmlElement, element: XmlElement): readonly [XmlElement, Reference][] {
  const name = getAttributeValue(element, 'name');
  const kinds = REFERENCES[element.name] ?? [];
  if (name === undefined || kinds.length === 0) return [];
  const scope = element.name === 'Content' ? (root.children.find((child) => contains(child, element)) ?? root) : root;
  return listAllElements(scope).flatMap((candidate) =>
    kinds.flatMap((kind): [XmlElement, Reference][] => (isReference(candidate, kind, name) ? [[candidate, kind]] : [])),
  );
}

/** Possible values of an attribute that refers to another element. */
export function listPossibleNames(root: XmlElement, element: string, attribute: string): readonly string[] {
  const kind = Object.keys(REFERENCES).find((name) =>
    REFERENCES[name]!.some(
      (reference) => reference.element === element && reference.attribute === attribute && !reference.option,
    ),
  );
  return listAllElements(root)
    .filter(({ name }) => name === kind)
    .sort((a, b) => a.start - b.start)
    .flatMap((candidate) => getAttributeValue(candidate, 'name') ?? []);
}

/** Renames the element in the text, with all references to it. */
export function renameElement(xml: string, root: XmlElement, element: XmlElement, name: string): string {
  const changes: [XmlElement, string][] = [
    [element, 'name'],
    ...findReferences(root, element).map(([referrer, { attribute }]): [XmlElement, string] => [referrer, attribute]),
  ];
  // In reverse order, so that earlier positions stay valid.
  return changes
    .sort(([a], [b]) => b.start - a.start)
    .reduce((text, [target, attribute]) => setAttribute(text, target, attribute, name), xml);
}

const isReference = (candidate: XmlElement, { element, attribute, option }: Reference, name: string): boolean =>
  candidate.name === element &&
  getAttributeValue(candidate, attribute) === name &&
  (option === undefined || getAttributeValue(candidate, 'name') === option);

const contains = (outer: XmlElement, inner: XmlElement): boolean =>
  outer.start <= inner.start && inner.end <= outer.end;

function listAllElements(root: XmlElement): XmlElement[] {
  const elements: XmlElement[] = [];
  const pending = [root];
  for (let element = pending.pop(); element; element = pending.pop()) {
    elements.push(element);
    pending.push(...element.children);
  }
  return elements;
}
