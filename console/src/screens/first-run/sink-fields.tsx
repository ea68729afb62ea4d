import type { JSX } from 'preact';
import type { ElementFormDto } from '../../api/schema.js';
import { SinkTest, testDraftSink } from '../../ui/sink-test.js';
import { AttributeField } from '../configuration/attribute-field.js';
import { MoreFields } from '../configuration/element-form.js';
import { divideAttributes } from '../configuration/typed-attributes.js';
import { addSink, findRangeToAllow, type NewSink } from './crawl-draft.js';

export interface SinkChoice {
  readonly name: string;
  /** Undefined if the configuration has a sink with that name. */
  readonly newSink?: NewSink;
}

interface SinkProps {
  readonly sinks: readonly { readonly name: string; readonly type: string; readonly url: string }[];
  readonly choice: SinkChoice;
  readonly onChange: (choice: SinkChoice) => void;
  /** The configuration in force, in which a new sink is tested. */
  readonly xml: string;
  readonly form: ElementFormDto;
}

type Attribute = ElementFormDto['attributes'][number];

export const EMPTY_SINK: NewSink = { type: 'papi', url: '' };

/** Returns a name that no sink has. */
export function findUnusedSinkName(sinks: SinkProps['sinks']): string {
  const takenNames = new Set(sinks.map(({ name }) => name));
  let name = 'main';
  for (let suffix = 2; takenNames.has(name); suffix++) name = `main-${suffix}`;
  return name;
}

/** Lets the user choose where documents go: to an existing sink or to a new one. */
export function SinkFields({ sinks, choice, onChange, xml, form }: SinkProps): JSX.Element {
  const newSinkFields = choice.newSink && (
    <NewSinkFields
      name={choice.name}
      sink={choice.newSink}
      xml={xml}
      form={form}
      onChange={(newSink) => onChange({ name: choice.name, newSink })}
    />
  );
  if (sinks.length === 0) return <>{newSinkFields}</>;
  const testSink = (): ReturnType<typeof testDraftSink> => testDraftSink(choice.name, xml);
  return (
    <>
      <div class="field">
        <label for="sink">Push documents to</label>
        <select
          id="sink"
          value={choice.newSink ? '' : choice.name}
          onChange={({ currentTarget: { value } }) =>
            onChange(value === '' ? { name: findUnusedSinkName(sinks), newSink: EMPTY_SINK } : { name: value })
          }
        >
          {sinks.map(({ name, type, url }) => (
            <option key={name} value={name}>
              {name}: {type}, {url}
            </option>
          ))}
          <option value="">a new sink…</option>
        </select>
      </div>
      {newSinkFields || <SinkTest key={choice.name} runTest={testSink} />}
    </>
  );
}

interface NewSinkProps {
  readonly name: string;
  readonly sink: NewSink;
  readonly xml: string;
  readonly form: ElementFormDto;
  readonly onChange: (sink: NewSink) => void;
}

function NewSinkFields({ name, sink, xml, form, onChange }: NewSinkProps): JSX.Element {
  const types = form.types ?? [];
  const example = types.find((type) => type.name === sink.type)?.example ?? '';
  const isRemote = URL.canParse(example);
  const { own } = divideAttributes(form, sink.type);
  const isPrompted = ({ name: option, required, secret }: Attribute): boolean =>
    required || secret || option === 'login';
  const otherAttributes = own.filter((attribute) => !isPrompted(attribute));
  const renderField = (attribute: Attribute): JSX.Element => (
    <AttributeField
      key={`${sink.type} ${attribute.name}`}
      attribute={attribute}
      value={sink.options?.[attribute.name]}
      editable
      secretNameParts={['sink', name]}
      onChange={(value = '') => onChange({ ...sink, options: { ...sink.options, [attribute.name]: value } })}
    />
  );
  return (
    <fieldset class="fieldset stack">
      <legend>Where do documents go?</legend>
      <div class="stack">
        <div class="field">
          <label for="sink-type">Kind of index</label>
          <select
            id="sink-type"
            value={sink.type}
            onChange={({ currentTarget: { value: type } }) => onChange({ type, url: sink.url })}
          >
            {types.map(({ name: type, label }) => (
              <option key={type} value={type}>
                {label}
              </option>
            ))}
          </select>
        </div>
        <div class="field">
          <label for="sink-url">{isRemote ? 'Address' : 'File, in the data folder'}</label>
          <input
            id="sink-url"
            class="mono"
            required
            placeholder={example}
            value={sink.url}
            onInput={({ currentTarget: { value: url } }) => onChange({ ...sink, url })}
          />
        </div>
      </div>
      <div class="stack">{own.filter(isPrompted).map(renderField)}</div>
      {otherAttributes.length > 0 && (
        <MoreFields label="More settings">
          {() => <div class="stack">{otherAttributes.map(renderField)}</div>}
        </MoreFields>
      )}
      {isRemote && <NetworkFields sink={sink} onChange={onChange} />}
      <SinkTest runTest={() => testDraftSink(name, addSink(xml, name, sink))} disabled={sink.url === ''} />
    </fieldset>
  );
}

/** Fields for a sink on a private network. */
function NetworkFields({ sink, onChange }: Pick<NewSinkProps, 'sink' | 'onChange'>): JSX.Element {
  return (
    <details class="more">
      <summary class="muted">On a private network, or with a certificate from your own certificate authority</summary>
      <div class="stack">
        <div class="field">
          <label for="sink-allow">Private addresses to allow for the sink</label>
          <input
            id="sink-allow"
            class="mono"
            placeholder="10.0.0.0/8"
            value={findRangeToAllow(sink) ?? ''}
            onInput={({ currentTarget: { value: allow } }) => onChange({ ...sink, allow })}
          />
        </div>
        <div class="field">
          <label for="sink-authority">Certificate authority, in PEM format</label>
          <textarea
            id="sink-authority"
            class="mono"
            rows={4}
            spellcheck={false}
            placeholder="-----BEGIN CERTIFICATE-----"
            value={sink.authority ?? ''}
            onInput={({ currentTarget: { value: authority } }) => onChange({ ...sink, authority })}
          />
        </div>
      </div>
    </details>
  );
}
