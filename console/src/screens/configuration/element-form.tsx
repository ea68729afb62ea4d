import type { ComponentChildren, JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { ConfigurationProblemDto, ElementFormDto } from '../../api/schema.js';
import { useSession } from '../../state/session.js';
import { formatPlural } from '../../ui/format.js';
import { SinkTest, testDraftSink } from '../../ui/sink-test.js';
import { AttributeField } from './attribute-field.js';
import { findReferences, listPossibleNames, renameElement } from './renaming.js';
import { divideAttributes } from './typed-attributes.js';
import {
  appendChild,
  findElementAt,
  findPrefix,
  getAttributeValue,
  removeElement,
  setAttribute,
  setText,
  type XmlElement,
} from './xml-tree.js';

/** A configuration that is being edited, and the elements that it may contain. */
export interface EditorContext {
  readonly xml: string;
  readonly root: XmlElement;
  readonly elements: ReadonlyMap<string, ElementFormDto>;
  readonly mayChange: boolean;
  readonly problems: readonly ConfigurationProblemDto[];
  readonly change: (xml: string) => void;
}

interface FormProps {
  readonly element: XmlElement;
  readonly editor: EditorContext;
  /** Whether the element is shown as a single line until it is opened. */
  readonly folded?: boolean;
  /** Names of child elements that are edited elsewhere. */
  readonly hiddenNames?: readonly string[];
}

export function ElementForm({ element, editor, folded = false, hiddenNames = [] }: FormProps): JSX.Element {
  const form = editor.elements.get(element.name);
  if (!folded) return <ElementFields element={element} editor={editor} form={form} hiddenNames={hiddenNames} />;
  return (
    <CollapsibleElement element={element} editor={editor}>
      <ElementFields element={element} editor={editor} form={form} hiddenNames={hiddenNames} />
    </CollapsibleElement>
  );
}

/** Renders its content only while it is open, because a configuration may have thousands of elements. */
function CollapsibleElement({
  element,
  editor,
  children,
}: FormProps & { readonly children: ComponentChildren }): JSX.Element {
  const [open, setOpen] = useState(false);
  const { xml, root, change } = editor;
  // Whose role is limited to crawlers cannot remove what is shared by its nature.
  const isKept = useSession().crawlers !== undefined && root.children.includes(element);
  const mayRemove = editor.mayChange && !isKept;
  return (
    <details
      class="element"
      onToggle={(event) => event.target === event.currentTarget && setOpen(event.currentTarget.open)}
    >
      <summary>
        <strong>{element.name}</strong> <span class="mono muted">{summarize(element)}</span>
      </summary>
      {open && (
        <div class="stack">
          {children}
          {mayRemove && (
            <div class="actions end">
              <button type="button" class="button small danger" onClick={() => change(removeElement(xml, element))}>
                Remove {element.name}
              </button>
            </div>
          )}
        </div>
      )}
    </details>
  );
}

const MAX_ATTRIBUTES_SHOWN = 3;

const summarize = ({ attributes, text }: XmlElement): string =>
  [
    ...attributes
      .filter(({ name }) => !name.startsWith('xmlns'))
      .slice(0, MAX_ATTRIBUTES_SHOWN)
      .map(({ name, value }) => `${name}=${value}`),
    text.trim(),
  ]
    .filter(Boolean)
    .join(' ');

type FieldsProps = Required<Omit<FormProps, 'folded'>> & { readonly form?: ElementFormDto };

function ElementFields({ element, editor, form, hiddenNames }: FieldsProps): JSX.Element {
  const { xml, mayChange, change } = editor;
  const ownProblems = editor.problems.filter(
    ({ line, column }) => findElementAt(editor.root, xml, line, column) === element,
  );
  if (!form) return <p class="muted">Crawlway does not recognize this element and leaves it unchanged.</p>;
  const isSet = ({ name, aliases }: ElementFormDto['attributes'][number]): boolean =>
    [name, ...aliases].some((candidate) => getAttributeValue(element, candidate) !== undefined);
  const { shared, own } = divideAttributes(form, getAttributeValue(element, 'type'));
  const attributes = [...shared, ...own];
  const uselessAttributes = form.attributes.filter(
    (attribute) => isSet(attribute) && !attributes.some(({ name }) => name === attribute.name),
  );
  const mainAttributes = [
    ...attributes.filter((attribute) => attribute.required || isSet(attribute)),
    ...uselessAttributes,
  ];
  const otherAttributes = attributes.filter((attribute) => !mainAttributes.includes(attribute));
  const renderField = (attribute: ElementFormDto['attributes'][number]): JSX.Element => {
    const names = listPossibleNames(editor.root, element.name, attribute.name);
    const writtenName = [attribute.name, ...attribute.aliases].find(
      (candidate) => getAttributeValue(element, candidate) !== undefined,
    );
    return (
      <AttributeField
        key={attribute.name}
        attribute={names.length > 0 ? { ...attribute, choices: [...names] } : attribute}
        value={writtenName === undefined ? undefined : getAttributeValue(element, writtenName)}
        editable={mayChange}
        secretNameParts={[element.name, getAttributeValue(element, 'name') ?? '']}
        onChange={(value) =>
          change(
            writtenName === 'name' && value !== undefined
              ? renameElement(xml, editor.root, element, value)
              : setAttribute(xml, element, writtenName ?? attribute.name, value),
          )
        }
      />
    );
  };
  return (
    <div class="stack">
      <p class="muted">
        {form.meaning} {describeReferences(findReferences(editor.root, element).length)}
      </p>
      {ownProblems.map(({ code, message, severity }) => (
        <p key={`${code} ${message}`} class={`notice ${severity === 'error' ? 'bad' : 'warn'}`}>
          {message}
        </p>
      ))}
      {form.text !== undefined && element.children.length === 0 && (
        <TextField label={form.text} element={element} editor={editor} />
      )}
      {mainAttributes.length > 0 && <div class="settings">{mainAttributes.map(renderField)}</div>}
      {otherAttributes.length > 0 && (
        <MoreFields
          label={`${otherAttributes.length} more ${otherAttributes.length === 1 ? 'setting' : 'settings'}, at their defaults`}
        >
          {() => <div class="settings">{otherAttributes.map(renderField)}</div>}
        </MoreFields>
      )}
      {element.name === 'Sink' && mayChange && (
        <SinkTest
          runTest={() => testDraftSink(getAttributeValue(element, 'name') ?? '', xml)}
          disabled={!getAttributeValue(element, 'name') || !getAttributeValue(element, 'url')}
        />
      )}
      {element.children
        .filter(({ name }) => !hiddenNames.includes(name))
        .map((child, i) => (
          <ElementForm key={`${child.name} ${i}`} element={child} editor={editor} folded />
        ))}
      <AddElement parent={element} editor={editor} hiddenNames={hiddenNames} />
    </div>
  );
}

const describeReferences = (count: number): string =>
  count === 0
    ? ''
    : `The name is also used in ${formatPlural(count, 'other place')}; renaming updates every reference.`;

export function MoreFields({
  label,
  children,
}: {
  readonly label: string;
  readonly children: () => JSX.Element;
}): JSX.Element {
  const [open, setOpen] = useState(false);
  return (
    <details
      class="more"
      onToggle={(event) => event.target === event.currentTarget && setOpen(event.currentTarget.open)}
    >
      <summary class="muted">{label}</summary>
      {open && children()}
    </details>
  );
}

interface TextProps {
  readonly label: string;
  readonly element: XmlElement;
  readonly editor: EditorContext;
}

function TextField({ label, element, editor: { xml, mayChange, change } }: TextProps): JSX.Element {
  const id = useId();
  // As in AttributeField, keeps what is being typed when the checker responds.
  const [typedText, setTypedText] = useState<string>();
  return (
    <div class="field grow">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        class="mono"
        rows={3}
        readOnly={!mayChange}
        value={typedText ?? element.text}
        onInput={(event) => setTypedText(event.currentTarget.value)}
        onChange={(event) => {
          setTypedText(undefined);
          change(setText(xml, element, event.currentTarget.value));
        }}
      />
    </div>
  );
}

interface AddProps {
  readonly parent: XmlElement;
  readonly editor: EditorContext;
  readonly hiddenNames?: readonly string[];
}

const DEFAULT_PREFIXES: Readonly<Record<string, string>> = { 'urn:crawlway:config:1': 'cw' };

/** Adds an element that the parent may contain. Its required attributes are filled in or left empty for the user. */
export function AddElement({ parent, editor, hiddenNames = [] }: AddProps): JSX.Element | null {
  const { xml, root, elements, mayChange, change } = editor;
  const id = useId();
  const allowedNames = (elements.get(parent.name)?.children ?? []).filter(
    (name) =>
      !hiddenNames.includes(name) &&
      !(elements.get(name)?.once && parent.children.some((child) => child.name === name)),
  );
  if (!mayChange || allowedNames.length === 0) return null;
  const add = (name: string): void => {
    const form = elements.get(name)!;
    const defaultPrefix = DEFAULT_PREFIXES[form.namespace] ?? (form.namespace.includes('actionrules') ? 'ar' : '');
    const { prefix, declaration } = findPrefix(root, form.namespace, defaultPrefix);
    const requiredAttributes = form.attributes
      .filter((attribute) => attribute.required)
      .map(
        (attribute) =>
          ` ${attribute.name}="${attribute.choices?.[0] ?? listPossibleNames(root, name, attribute.name)[0] ?? ''}"`,
      )
      .join('');
    change(appendChild(xml, parent, `<${prefix}${name}${declaration}${requiredAttributes}/>`));
  };
  return (
    <div class="row">
      <label for={id} class="muted">
        Add to {parent.name}
      </label>
      <select
        id={id}
        value=""
        onChange={(event) => {
          const name = event.currentTarget.value;
          event.currentTarget.value = '';
          if (name) add(name);
        }}
      >
        <option value="">choose…</option>
        {allowedNames.map((name) => (
          <option key={name} value={name} title={elements.get(name)?.meaning}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}
