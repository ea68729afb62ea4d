/** The parts of imported files, of which each knows its line and whether a reader has dealt with it. */

/** An element with its attributes, a setting of YAML or JSON, or a line of a list. */
export class Node {
  /** Whether a line of the report says what became of it, with everything inside. */
  isReported = false;

  constructor(
    readonly name: string,
    readonly text: string,
    readonly children: readonly Node[],
    /** As `file:line`. */
    readonly place: string,
    readonly attributeNodes: readonly Node[] = [],
  ) {}

  get attributes(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.attributeNodes.map(({ name, text }) => [name, text]));
  }

  /** Sets a property that another place of the file overrides: the first one counts. */
  override(name: string, value: string): void {
    const attributes = Object.entries({ name, value }).map(([key, text]) => new Node(key, text, [], this.place));
    (this.children as Node[]).unshift(new Node('property', '', [], this.place, attributes));
  }

  /** The child or attribute with the name. */
  find(name: string): Node | undefined {
    return this.attributeNodes.find((node) => node.name === name) ?? this.children.find((node) => node.name === name);
  }
}

/** Parts that say what an element is, or belong to the format of the file. */
const LABELS = /^(?:xmlns|xsi|xml)(?::|$)|^(?:id|name|class)$|^comment$|^\?/;

/** The outermost parts of the tree with which no reader has dealt. */
export function listUnreported(root: Node): Node[] {
  const visit = (node: Node): { readonly nodes: Node[]; readonly isTouched: boolean } => {
    if (node.isReported) return { nodes: [], isTouched: true };
    const attributes = node.attributeNodes.filter(({ name }) => !LABELS.test(name));
    const parts = [
      ...attributes,
      ...node.children.filter(({ name, children }) => children.length > 0 || !LABELS.test(name)),
    ].map(visit);
    const isTouched = parts.some((part) => part.isTouched) || node.attributeNodes.some(({ isReported }) => isReported);
    const nodes = isTouched || node === root ? parts.flatMap((part) => part.nodes) : [node];
    if (isTouched && node !== root && node.text !== '' && node.children.length === 0 && parts.length === 0)
      nodes.push(node);
    return { nodes, isTouched };
  };
  return visit(root).nodes;
}
