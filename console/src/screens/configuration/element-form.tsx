import type { ComponentChildren, JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { ConfigurationProblemDto, ElementFormDto } from '../../api/schema.js';
import { formatPlural } from '../../ui/format.js';
import { SinkTest, testDraftSink } from '../../ui/sink-test.js';
import { AttributeField } from './attribute-field.js';
import { findReferences, listPossibleNames, renameElement } from './renaming.js';
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
export interface Editing {
  readonly xml: string;
  readonly root: XmlElement;
  readonly elements: ReadonlyMap<string, ElementFormDto>;
  readonly mayChange: boolean;
  readonly problems: readonly ConfigurationProblemDto[];
  readonly change: (xml: string) => void;
}

interface FormProps {
  readonly element: XmlElement;
  readonly editing: Editing;
  /** Whether the element is shown as a single line until it is opened. */
  readonly folded?: boolean;
  /** Names of elements inside that have their own screen. */
  readonly hidden?: readonly string[];
}

export function ElementForm({ element, editing, folded = false, hidden = [] }: FormProps): JSX.Element {
  const form = editing.elements.get(element.name);
  if (!folded) return <ElementFields element={element} editing={editing} form={form} hidden={hidden} />;
  return (
    <CollapsibleElement element={element} editing={editing}>
      <ElementFields element={element} editing={editing} form={form} hidden={hidden} />
    </CollapsibleElement>
  );
}

/** Renders the content only while it is open, because a configuration may have thousands of elements. */
function CollapsibleElement({
  element,
  editing,
  children,
}: FormProps & { readonly children: ComponentChildren }): JSX.Element {
  const [open, setOpen] = useState(false);
  const { xml, mayChange, change } = editing;
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
          {mayChange && (
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

const SHOWN = 3;

const summarize = ({ attributes, text }: XmlElement): string =>
  [
    ...attributes
      .filter(({ name }) => !name.startsWith('xmlns'))
      .slice(0, SHOWN)
      .map(({ name, value }) => `${name}=${value}`),
    text.trim(),
  ]
    .filter(Boolean)
    .join(' ');

type FieldsProps = Required<Omit<FormProps, 'folded'>> & { readonly form?: ElementFormDto };

function ElementFields({ element, editing, form, hidden }: FieldsProps): JSX.Element {
  const { xml, mayChange, change } = editing;
  const own = editing.problems.filter(({ line, column }) => findElementAt(editing.root, xml, line, column) === element);
  if (!form) return <p class="muted">Crawlway does not recognize this element and leaves it unchanged.</p>;
  const isSet = ({ name, aliases }: ElementFormDto['attributes'][number]): boolean =>
    [name, ...aliases].some((one) => getAttributeValue(element, one) !== undefined);
  const first = form.attributes.filter((attribute) => attribute.required || isSet(attribute));
  const others = form.attributes.filter((attribute) => !first.includes(attribute));
  const renderField = (attribute: ElementFormDto['attributes'][number]): JSX.Element => {
    const names = listPossibleNames(editing.root, element.name, attribute.name);
    const written = [attribute.name, ...attribute.aliases].find((one) => getAttributeValue(element, one) !== undefined);
    return (
      <AttributeField
        key={attribute.name}
        attribute={names.length > 0 ? { ...attribute, choices: [...names] } : attribute}
        value={written === undefined ? undefined : getAttributeValue(element, written)}
        editable={mayChange}
        onChange={(value) =>
          change(
            written === 'name' && value !== undefined
              ? renameElement(xml, editing.root, element, value)
              : setAttribute(xml, element, written ?? attribute.name, value),
          )
        }
      />
    );
  };
  return (
    <div class="stack">
      <p class="muted">
        {form.meaning} {referenceText(findReferences(editing.root, element).length)}
      </p>
      {own.map(({ code, message, severity }) => (
        <p key={`${code} ${message}`} class={`notice ${severity === 'error' ? 'bad' : 'warn'}`}>
          {message}
        </p>
      ))}
      {form.text !== undefined && element.children.length === 0 && (
        <TextField label={form.text} element={element} editing={editing} />
      )}
      {first.length > 0 && <div class="settings">{first.map(renderField)}</div>}
      {others.length > 0 && (
        <MoreFields label={`${others.length} more ${others.length === 1 ? 'setting' : 'settings'}, at their defaults`}>
          {() => <div class="settings">{others.map(renderField)}</div>}
        </MoreFields>
      )}
      {element.name === 'Sink' && mayChange && (
        <SinkTest
          ask={() => testDraftSink(getAttributeValue(element, 'name') ?? '', xml)}
          disabled={!getAttributeValue(element, 'name') || !getAttributeValue(element, 'url')}
        />
      )}
      {element.children
        .filter(({ name }) => !hidden.includes(name))
        .map((child, i) => (
          <ElementForm key={`${child.name} ${i}`} element={child} editing={editing} folded />
        ))}
      <AddElement parent={element} editing={editing} hidden={hidden} />
    </div>
  );
}

const referenceText = (count: number): string =>
  count === 0
    ? ''
    : `The name is also used in ${formatPlural(count, 'other place')}; renaming updates every reference.`;

function MoreFields({
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
  readonly editing: Editing;
}

function TextField({ label, element, editing: { xml, mayChange, change } }: TextProps): JSX.Element {
  const id = useId();
  // As in AttributeField, keeps what is being typed when the checker responds.
  const [typed, setTyped] = useState<string>();
  return (
    <div class="field grow">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        class="mono"
        rows={3}
        readOnly={!mayChange}
        value={typed ?? element.text}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onChange={(event) => {
          setTyped(undefined);
          change(setText(xml, element, event.currentTarget.value));
        }}
      />
    </div>
  );
}

interface AddProps {
  readonly parent: XmlElement;
  readonly editing: Editing;
  readonly hidden?: readonly string[];
}

const USUAL: Readonly<Record<string, string>> = { 'urn:crawlway:config:1': 'cw' };

/** Adds an element that is allowed here; its form asks for required values. */
export function AddElement({ parent, editing, hidden = [] }: AddProps): JSX.Element | null {
  const { xml, root, elements, mayChange, change } = editing;
  const id = useId();
  const possible = (elements.get(parent.name)?.children ?? []).filter(
    (name) =>
      !hidden.includes(name) && !(elements.get(name)?.once && parent.children.some((child) => child.name === name)),
  );
  if (!mayChange || possible.length === 0) return null;
  const add = (name: string): void => {
    const form = elements.get(name)!;
    const usual = USUAL[form.namespace] ?? (form.namespace.includes('actionrules') ? 'ar' : '');
    const { prefix, declaration } = findPrefix(root, form.namespace, usual);
    const required = form.attributes
      .filter((one) => one.required)
      .map((one) => ` ${one.name}="${one.choices?.[0] ?? listPossibleNames(root, name, one.name)[0] ?? ''}"`)
      .join('');
    change(appendChild(xml, parent, `<${prefix}${name}${declaration}${required}/>`));
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
        {possible.map((name) => (
          <option key={name} value={name} title={elements.get(name)?.meaning}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}
