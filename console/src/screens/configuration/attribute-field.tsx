import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { ElementFormDto } from '../../api/schema.js';
import { attributeLabel } from './attribute-words.js';

interface FieldProps {
  readonly attribute: ElementFormDto['attributes'][number];
  /** Undefined if the attribute is not written, so that the default applies. */
  readonly value?: string;
  readonly editable: boolean;
  readonly onChange: (value: string | undefined) => void;
}

/** A field for one setting. An empty field shows the default and means that it applies. */
export function AttributeField({ attribute, value, editable, onChange }: FieldProps): JSX.Element {
  const id = useId();
  const { name, meaning, choices, unit, required } = attribute;
  const words = attributeLabel(name);
  return (
    <div class="field">
      <label for={id}>
        {words}
        {words.toLowerCase() !== name && <span class="mono muted"> {name}</span>}
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
          {!required && <option value="">{defaultText(attribute)}</option>}
          {value !== undefined && value !== '' && !choices.includes(value) && <option value={value}>{value}</option>}
          {choices.map((one) => (
            <option key={one} value={one}>
              {one}
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

/** Keeps what is being typed, which a result of the checker must not discard. */
function TypedField({ id, attribute, value, editable, onChange }: FieldProps & { readonly id: string }): JSX.Element {
  const [typed, setTyped] = useState<string>();
  return (
    <input
      id={id}
      class="mono"
      spellcheck={false}
      autocomplete="off"
      required={attribute.required}
      readOnly={!editable}
      value={typed ?? value ?? ''}
      placeholder={attribute.default === undefined ? stripMarkdown(attribute.form) : defaultText(attribute)}
      aria-describedby={`${id}-hint`}
      onInput={(event) => setTyped(event.currentTarget.value)}
      onChange={({ currentTarget: { value: entered } }) => {
        setTyped(undefined);
        onChange(entered === '' && !attribute.required ? undefined : entered);
      }}
    />
  );
}

const defaultText = ({ default: usual, unit }: FieldProps['attribute']): string =>
  usual === undefined ? 'not set' : `default: ${usual}${unit ? ` ${unit}` : ''}`;

const stripMarkdown = (markdown: string): string => markdown.replaceAll('`', '');
