/** The selectors and fields of a `Content`, each in a row with what it finds. */
import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { ConfigurationProblemDto, PageReadingDto } from '../../api/schema.js';
import { formatPlural } from '../../ui/format.js';
import { findElementAt, getAttributeValue, type XmlElement } from '../configuration/xml-tree.js';
import {
  addElement,
  findSource,
  isUnfinished,
  removeChild,
  SOURCE_LABELS,
  type Source,
  setAttributes,
} from './content-text.js';

export interface RowsProps {
  readonly text: string;
  readonly root: XmlElement;
  readonly problems: readonly ConfigurationProblemDto[];
  readonly reading: PageReadingDto | undefined;
  readonly change: (text: string) => void;
}

interface RowProps extends RowsProps {
  readonly element: XmlElement;
}

const LABELS = {
  Include: { title: 'Only', add: 'Add a part to keep', empty: 'The whole page is kept.' },
  Exclude: { title: 'Without', add: 'Add a part to cut out', empty: 'Nothing is cut out.' },
} as const;

export function SelectorRows({ kind, ...rowProps }: RowsProps & { readonly kind: keyof typeof LABELS }): JSX.Element {
  const { text, root, reading, change } = rowProps;
  const { title, add, empty } = LABELS[kind];
  const elements = root.children.filter(({ name }) => name === kind);
  const finishedElements = elements.filter((element) => !isUnfinished(element));
  const counts = reading?.look?.matches[kind === 'Include' ? 'include' : 'exclude'];
  return (
    <fieldset class="fieldset stack">
      <legend>{title}</legend>
      {elements.length === 0 && <p class="muted">{empty}</p>}
      {elements.map((element, i) => (
        <div key={i} class="field">
          <div class="row">
            <input
              class="mono grow-input"
              aria-label={`${title}, selector ${i + 1}`}
              placeholder={kind === 'Include' ? 'main, .article' : '.share, footer'}
              spellcheck={false}
              autocomplete="off"
              value={getAttributeValue(element, 'select') ?? ''}
              onInput={({ currentTarget: { value } }) =>
                change(setAttributes(text, root.children.indexOf(element), { select: value }))
              }
            />
            <RemoveButton {...rowProps} element={element} label={`${title}, selector ${i + 1}`} />
          </div>
          <MatchCount problems={findProblems(rowProps, element)} count={counts?.[finishedElements.indexOf(element)]} />
        </div>
      ))}
      <div>
        <button type="button" class="button small" onClick={() => change(addElement(text, kind))}>
          {add}
        </button>
      </div>
    </fieldset>
  );
}

const MatchCount = ({
  problems,
  count,
}: {
  problems: RowsProps['problems'];
  count: number | undefined;
}): JSX.Element => (
  <span class="hint" aria-live="polite">
    {problems.length > 0 ? (
      <Problems problems={problems} />
    ) : (
      count !== undefined && (count === 0 ? 'finds nothing on this page' : `finds ${formatPlural(count, 'element')}`)
    )}
  </span>
);

const Problems = ({ problems }: { problems: RowsProps['problems'] }): JSX.Element => (
  <>
    {problems.map(({ message }) => (
      <span key={message} class="notice bad" role="alert">
        {message}
      </span>
    ))}
  </>
);

const findProblems = ({ text, root, problems }: RowsProps, element: XmlElement): RowsProps['problems'] =>
  problems.filter(({ line, column }) => findElementAt(root, text, line, column) === element);

const RemoveButton = ({ text, root, element, label, change }: RowProps & { readonly label: string }): JSX.Element => (
  <button
    type="button"
    class="button small"
    aria-label={`Remove ${label}`}
    onClick={() => change(removeChild(text, root.children.indexOf(element)))}
  >
    Remove
  </button>
);

export function FieldRows(rowProps: RowsProps): JSX.Element {
  const { text, root, change } = rowProps;
  const elements = root.children.filter(({ name }) => name === 'Field');
  return (
    <fieldset class="fieldset stack">
      <legend>Fields</legend>
      {elements.length === 0 && <p class="muted">None besides the page's own metas.</p>}
      {elements.map((element, i) => (
        <FieldRow key={i} {...rowProps} element={element} />
      ))}
      <div>
        <button type="button" class="button small" onClick={() => change(addElement(text, 'Field'))}>
          Add a field
        </button>
      </div>
    </fieldset>
  );
}

const TYPES = ['text', 'date', 'number', 'boolean', 'url'];
const URL_PARTS = ['url', 'scheme', 'host', 'path', 'query', 'fragment'];
const PLACEHOLDERS: Readonly<Record<Source, string>> = {
  select: '.price',
  jsonld: 'Product:offers.price',
  meta: 'article:author',
  url: 'path',
};

function FieldRow({ element, ...rowProps }: RowProps): JSX.Element {
  const { text, root, reading, change } = rowProps;
  const source = findSource(element);
  const getAttribute = (name: string): string => getAttributeValue(element, name) ?? '';
  const changeAttributes = (values: Readonly<Record<string, string | undefined>>): void =>
    change(setAttributes(text, root.children.indexOf(element), values));
  const name = getAttribute('name');
  const chooseSource = (next: Source): void => {
    if (next === source) return;
    const initialValue = next === 'url' ? 'path' : '';
    changeAttributes({ [source]: undefined, attribute: undefined, [next]: initialValue });
  };
  const found = reading?.metas.filter((meta) => meta.name === name).map((meta) => meta.value) ?? [];
  const problems = findProblems(rowProps, element);
  return (
    <div class="field-row">
      <div class="settings narrow">
        <TextField
          label="Field"
          value={name}
          onInput={(next) => changeAttributes({ name: next })}
          placeholder="price"
        />
        <SelectField
          label="From"
          value={source}
          choices={Object.entries(SOURCE_LABELS)}
          onChange={(next) => chooseSource(next as Source)}
        />
        {source === 'url' ? (
          <SelectField
            label="Which"
            value={getAttribute('url')}
            choices={URL_PARTS.map((part) => [part, part])}
            onChange={(next) => changeAttributes({ url: next })}
          />
        ) : (
          <TextField
            label={SOURCE_LABELS[source]}
            value={getAttribute(source)}
            onInput={(next) => changeAttributes({ [source]: next })}
            placeholder={PLACEHOLDERS[source]}
          />
        )}
        {source === 'select' && (
          <TextField
            label="Attribute"
            value={getAttribute('attribute')}
            onInput={(next) => changeAttributes({ attribute: next || undefined })}
            placeholder="its text"
          />
        )}
        <TextField
          label="Match"
          value={getAttribute('match')}
          onInput={(next) => changeAttributes({ match: next || undefined })}
          placeholder="all of it"
        />
        <SelectField
          label="Type"
          value={getAttribute('type') || 'text'}
          choices={TYPES.map((type) => [type, type])}
          onChange={(next) => changeAttributes({ type: next === 'text' ? undefined : next })}
        />
      </div>
      <div class="row">
        <label class="check">
          <input
            type="checkbox"
            checked={getAttribute('multiple') === 'true'}
            onChange={({ currentTarget: { checked } }) => changeAttributes({ multiple: checked ? 'true' : undefined })}
          />{' '}
          every value, not only the first
        </label>
        <RemoveButton {...rowProps} element={element} label={`field ${name}`} />
      </div>
      <p class="hint" aria-live="polite">
        {problems.length > 0 ? (
          <Problems problems={problems} />
        ) : isUnfinished(element) || !reading ? (
          ''
        ) : found.length === 0 ? (
          'finds nothing on this page'
        ) : (
          <Values values={found} />
        )}
      </p>
    </div>
  );
}

const MAX_VALUES_SHOWN = 20;

const Values = ({ values }: { readonly values: readonly string[] }): JSX.Element => (
  <>
    finds{' '}
    {values.slice(0, MAX_VALUES_SHOWN).map((value, i) => (
      <span key={value}>
        {i > 0 && ', '}
        <strong>{value}</strong>
      </span>
    ))}
    {values.length > MAX_VALUES_SHOWN && ` and ${values.length - MAX_VALUES_SHOWN} more`}
  </>
);

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly placeholder: string;
  readonly onInput: (value: string) => void;
}

function TextField({ label, value, placeholder, onInput }: TextFieldProps): JSX.Element {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        class="mono"
        spellcheck={false}
        autocomplete="off"
        value={value}
        placeholder={placeholder}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
    </div>
  );
}

interface SelectFieldProps {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly (readonly string[])[];
  readonly onChange: (value: string) => void;
}

function SelectField({ label, value, choices, onChange }: SelectFieldProps): JSX.Element {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {choices.map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}
