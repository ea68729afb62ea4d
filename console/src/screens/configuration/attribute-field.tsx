import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { ElementFormDto } from '../../api/schema.js';
import { getAttributeLabel } from './attribute-words.js';

interface FieldProps {
  readonly attribute: ElementFormDto['attributes'][number];
  /** Undefined if the attribute is absent, so that its default applies. */
  readonly value?: string;
  readonly editable: boolean;
  readonly onChange: (value: string | undefined) => void;
}

/** A field for one setting. If it is empty, it shows the default, which then applies. */
export function AttributeField({ attribute, value, editable, onChange }: FieldProps): JSX.Element {
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
    </div>
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
      placeholder={attribute.default === undefined ? stripMarkdown(attribute.form) : formatDefault(attribute)}
      aria-describedby={`${id}-hint`}
      onInput={(event) => setTypedText(event.currentTarget.value)}
      onChange={({ currentTarget: { value: newText } }) => {
        setTypedText(undefined);
        onChange(newText === '' && !attribute.required ? undefined : newText);
      }}
    />
  );
}

const formatDefault = ({ default: defaultValue, unit }: FieldProps['attribute']): string =>
  defaultValue === undefined ? 'not set' : `default: ${defaultValue}${unit ? ` ${unit}` : ''}`;

const stripMarkdown = (markdown: string): string => markdown.replaceAll('`', '');
