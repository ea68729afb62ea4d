import type { JSX } from 'preact';
import { SinkTest, testDraftSink } from '../../ui/sink-test.js';
import { addSink, findAddressToAllow, type NewSink } from './crawl-draft.js';
import { FIELD_LABELS, SECRET_FIELDS, SINK_KINDS, type SinkField } from './sink-kinds.js';

export interface SinkWish {
  readonly name: string;
  /** Undefined if the configuration has a sink with that name. */
  readonly isNew?: NewSink;
}

interface SinkProps {
  readonly sinks: readonly { readonly name: string; readonly type: string; readonly url: string }[];
  readonly wish: SinkWish;
  readonly onChange: (wish: SinkWish) => void;
  /** The configuration in force, in which a new sink is tested. */
  readonly xml: string;
}

export const EMPTY_SINK: NewSink = { type: 'papi', url: '' };

/** Returns a name that no sink has. */
export function findUnusedSinkName(sinks: SinkProps['sinks']): string {
  const taken = new Set(sinks.map(({ name }) => name));
  let name = 'main';
  for (let number = 2; taken.has(name); number++) name = `main-${number}`;
  return name;
}

/** Lets the user choose where documents go: to a sink of the configuration, or to a new one. */
export function SinkFields({ sinks, wish, onChange, xml }: SinkProps): JSX.Element {
  const fresh = wish.isNew && (
    <NewSinkFields
      name={wish.name}
      sink={wish.isNew}
      xml={xml}
      onChange={(isNew) => onChange({ name: wish.name, isNew })}
    />
  );
  if (sinks.length === 0) return <>{fresh}</>;
  const testSink = (): ReturnType<typeof testDraftSink> => testDraftSink(wish.name, xml);
  return (
    <>
      <div class="field">
        <label for="sink">Push documents to</label>
        <select
          id="sink"
          value={wish.isNew ? '' : wish.name}
          onChange={({ currentTarget: { value } }) =>
            onChange(value === '' ? { name: findUnusedSinkName(sinks), isNew: EMPTY_SINK } : { name: value })
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
      {fresh || <SinkTest key={wish.name} ask={testSink} />}
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
      <SinkTest ask={() => testDraftSink(name, addSink(xml, name, sink))} disabled={sink.url === ''} />
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
            value={findAddressToAllow(sink) ?? ''}
            onInput={({ currentTarget: { value: allow } }) => onChange({ ...sink, allow })}
          />
        </div>
        <div class="field">
          <label for="sink-authority">Certificate authority, in PEM form</label>
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
