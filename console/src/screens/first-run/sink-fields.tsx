import type { JSX } from 'preact';
import { SinkTest, testDraftSink } from '../../ui/sink-test.js';
import { addSink, findRangeToAllow, type NewSink } from './crawl-draft.js';
import { FIELD_LABELS, SECRET_FIELDS, SINK_KINDS, type SinkField } from './sink-kinds.js';

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
}

export const EMPTY_SINK: NewSink = { type: 'papi', url: '' };

/** Returns a name that no sink has. */
export function findUnusedSinkName(sinks: SinkProps['sinks']): string {
  const takenNames = new Set(sinks.map(({ name }) => name));
  let name = 'main';
  for (let suffix = 2; takenNames.has(name); suffix++) name = `main-${suffix}`;
  return name;
}

/** Lets the user choose where documents go: to an existing sink or to a new one. */
export function SinkFields({ sinks, choice, onChange, xml }: SinkProps): JSX.Element {
  const newSinkFields = choice.newSink && (
    <NewSinkFields
      name={choice.name}
      sink={choice.newSink}
      xml={xml}
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
  readonly onChange: (sink: NewSink) => void;
}

function NewSinkFields({ name, sink, xml, onChange }: NewSinkProps): JSX.Element {
  const kind = SINK_KINDS[sink.type];
  const setOption = (field: SinkField, value: string): void =>
    onChange({ ...sink, options: { ...sink.options, [field]: value } });
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
            {Object.entries(SINK_KINDS).map(([type, { label }]) => (
              <option key={type} value={type}>
                {label}
              </option>
            ))}
          </select>
        </div>
        <div class="field">
          <label for="sink-url">{kind?.isRemote ? 'Address' : 'File, in the data folder'}</label>
          <input
            id="sink-url"
            class="mono"
            required
            placeholder={kind?.example}
            value={sink.url}
            onInput={({ currentTarget: { value: url } }) => onChange({ ...sink, url })}
          />
        </div>
      </div>
      {kind && kind.fields.length > 0 && (
        <div class="stack">
          {kind.fields.map((field) => (
            <div key={field} class="field">
              <label for={`sink-${field}`}>{FIELD_LABELS[field]}</label>
              <input
                id={`sink-${field}`}
                class="mono"
                type={(SECRET_FIELDS.has(field) ? 'password' : 'text') as 'password'}
                autocomplete="off"
                required={field === kind.required}
                value={sink.options?.[field] ?? ''}
                onInput={({ currentTarget: { value } }) => setOption(field, value)}
              />
            </div>
          ))}
        </div>
      )}
      {kind?.isRemote && <NetworkFields sink={sink} onChange={onChange} />}
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
          <label for="sink-allow">Allow addresses of the sink that are not public</label>
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
