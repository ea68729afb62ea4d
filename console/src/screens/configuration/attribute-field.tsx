import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { ElementFormDto } from '../../api/schema.js';
import { useCrawler } from '../../state/crawlers.js';
import { useSession } from '../../state/session.js';
import { formatReference, parseReference, SecretForm, storeNewSecret, storeSecret } from '../../ui/secret-value.js';
import { getAttributeLabel } from './attribute-words.js';

interface FieldProps {
  readonly attribute: ElementFormDto['attributes'][number];
  /** Undefined if the attribute is absent, so that its default applies. */
  readonly value?: string;
  readonly editable: boolean;
  readonly onChange: (value: string | undefined) => void;
  /** Parts of a name under which to store the value if it is secret. */
  readonly secretNameParts?: readonly string[];
}

/** A field for one setting. If it is empty, it shows the default, which then applies. */
export function AttributeField({
  attribute,
  value,
  editable,
  onChange,
  secretNameParts = [],
}: FieldProps): JSX.Element {
  const id = useId();
  const { name, meaning, choices, unit, required } = attribute;
  const label = getAttributeLabel(name);
  return (
    <div class="field">
      <label for={id}>
        {label}
        {label.toLowerCase() !== name && <span class="mono muted"> {name}</span>}
        {unit && <span class="muted"> ({unit})</span>}
        {required && <span class="muted"> *</span>}
      </label>
      {choices ? (
        <select
          id={id}
          value={value ?? ''}
          disabled={!editable}
          aria-describedby={`${id}-hint`}
          onChange={(event) => onChange(event.currentTarget.value || undefined)}
        >
          {!required && <option value="">{formatDefault(attribute)}</option>}
          {value !== undefined && value !== '' && !choices.includes(value) && <option value={value}>{value}</option>}
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </select>
      ) : (
        <TypedField id={id} attribute={attribute} value={value} editable={editable} onChange={onChange} />
      )}
      <span id={`${id}-hint`} class="hint">
        {stripMarkdown(meaning)}
      </span>
      {attribute.secret && editable && (
        <StoredValue value={value} nameParts={[...secretNameParts, name]} onChange={onChange} />
      )}
    </div>
  );
}

interface StoredValueProps extends Pick<FieldProps, 'value' | 'onChange'> {
  readonly nameParts: readonly string[];
}

/** Stores a value for a secret setting, whose field contains only the reference to it. */
function StoredValue({ value, nameParts, onChange }: StoredValueProps): JSX.Element {
  const storedName = parseReference(value);
  const crawler = useCrawler()?.name;
  const owner = useSession().crawlers && crawler;
  const store = async (secret: string): Promise<void> => {
    if (storedName === undefined) onChange(await storeNewSecret(nameParts, secret, owner));
    else await storeSecret(storedName, secret);
  };
  return (
    <>
      <SecretForm label={storedName === undefined ? 'Store a value' : 'Change the value'} onStore={store} />
      <span class="hint">
        It is kept encrypted on the server and never shown again. The configuration only names it
        {storedName !== undefined && <>, as {storedName}</>}.
      </span>
    </>
  );
}

/** Keeps what is being typed, so that a result of the checker does not discard it. */
function TypedField({ id, attribute, value, editable, onChange }: FieldProps & { readonly id: string }): JSX.Element {
  const [typedText, setTypedText] = useState<string>();
  const text = typedText ?? value ?? '';
  return (
    <input
      id={id}
      class="mono"
      // A reference to a secret is no secret.
      type={(attribute.secret && !text.startsWith('${') ? 'password' : 'text') as 'password'}
      spellcheck={false}
      autocomplete="off"
      required={attribute.required}
      readOnly={!editable}
      value={text}
      placeholder={formatPlaceholder(attribute)}
      aria-describedby={`${id}-hint`}
      onInput={(event) => setTypedText(event.currentTarget.value)}
      onChange={({ currentTarget: { value: newText } }) => {
        setTypedText(undefined);
        onChange(newText === '' && !attribute.required ? undefined : newText);
      }}
    />
  );
}

function formatPlaceholder(attribute: FieldProps['attribute']): string {
  if (attribute.secret) return formatReference('NAME');
  return attribute.default === undefined ? stripMarkdown(attribute.form) : formatDefault(attribute);
}

const formatDefault = ({ default: defaultValue, unit }: FieldProps['attribute']): string =>
  defaultValue === undefined ? 'not set' : `default: ${defaultValue}${unit ? ` ${unit}` : ''}`;

const stripMarkdown = (markdown: string): string => markdown.replaceAll('`', '');
