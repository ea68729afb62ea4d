import type { JSX } from 'preact';

export interface SinkWish {
  readonly name: string;
  readonly type: string;
  readonly url: string;
}

interface SinkProps {
  readonly sinks: readonly SinkWish[];
  readonly wish: SinkWish;
  readonly onChange: (wish: SinkWish) => void;
}

const TYPES: Readonly<Record<string, { readonly label: string; readonly example: string }>> = {
  papi: { label: 'Push API (CloudView, or the bundled index)', example: 'http://127.0.0.1:8742' },
  elasticsearch: { label: 'Elasticsearch', example: 'http://127.0.0.1:9200/pages' },
  opensearch: { label: 'OpenSearch', example: 'http://127.0.0.1:9200/pages' },
  solr: { label: 'Solr', example: 'http://127.0.0.1:8983/solr/pages' },
  json: { label: 'JSON over HTTP', example: 'https://search.example.com/orders' },
  file: { label: 'A file of JSON lines', example: 'data/orders.jsonl' },
};

/** Where documents go: a sink of the configuration, or the first one. */
export function SinkFields({ sinks, wish, onChange }: SinkProps): JSX.Element {
  if (sinks.length > 0) {
    return (
      <div class="field">
        <label for="sink">Push documents to</label>
        <select
          id="sink"
          value={wish.name}
          onChange={({ currentTarget: { value: name } }) => onChange({ ...wish, name })}
        >
          {sinks.map(({ name, type, url }) => (
            <option key={name} value={name}>
              {name}: {type}, {url}
            </option>
          ))}
        </select>
      </div>
    );
  }
  return (
    <fieldset class="fieldset">
      <legend>Where do documents go?</legend>
      <div class="filters">
        <div class="field">
          <label for="sink-type">Kind of index</label>
          <select
            id="sink-type"
            value={wish.type}
            onChange={({ currentTarget: { value: type } }) => onChange({ ...wish, type })}
          >
            {Object.entries(TYPES).map(([type, { label }]) => (
              <option key={type} value={type}>
                {label}
              </option>
            ))}
          </select>
        </div>
        <div class="field grow">
          <label for="sink-url">Its address</label>
          <input
            id="sink-url"
            class="mono"
            required
            placeholder={TYPES[wish.type]?.example}
            value={wish.url}
            onInput={({ currentTarget: { value: url } }) => onChange({ ...wish, url })}
          />
        </div>
      </div>
    </fieldset>
  );
}
