import type { JSX } from 'preact';
import { addSink } from './crawl-draft.js';
import { SinkTest } from './sink-test.js';

export interface SinkWish {
  readonly name: string;
  readonly type: string;
  readonly url: string;
  readonly options?: Readonly<Record<string, string>>;
}

interface SinkProps {
  readonly sinks: readonly SinkWish[];
  readonly wish: SinkWish;
  readonly onChange: (wish: SinkWish) => void;
  /** The configuration as it is: a new sink is tried in it. */
  readonly xml: string;
}

/** Addresses of nobody: what listens on a usual port of this machine may be another one's index. */
const CREDENTIALS = ['login', 'password', 'apiKey'] as const;
const LABELS = {
  index: 'Index or collection',
  login: 'User (may be empty)',
  password: 'Password (may be empty)',
  apiKey: 'API key (instead of user and password)',
  secret: 'Key of the signature (may be empty)',
  table: 'Table (may be empty)',
} as const;
type Option = keyof typeof LABELS;

interface SinkKind {
  readonly label: string;
  readonly example: string;
  readonly options: readonly Option[];
}

const TYPES: Readonly<Record<string, SinkKind>> = {
  papi: {
    label: 'Push API (CloudView, or the bundled index)',
    example: 'https://push.example.com:10002',
    options: CREDENTIALS.slice(0, 2),
  },
  elasticsearch: {
    label: 'Elasticsearch',
    example: 'https://search.example.com:9200',
    options: ['index', ...CREDENTIALS],
  },
  opensearch: { label: 'OpenSearch', example: 'https://search.example.com:9200', options: ['index', ...CREDENTIALS] },
  solr: { label: 'Solr', example: 'https://search.example.com:8983/solr', options: ['index', 'login', 'password'] },
  json: { label: 'JSON over HTTP', example: 'https://search.example.com/orders', options: ['secret'] },
  file: { label: 'A file of JSON lines', example: 'data/orders.jsonl', options: [] },
  postgresql: {
    label: 'PostgreSQL',
    example: 'postgresql://db.example.com:5432/search',
    options: ['table', 'login', 'password'],
  },
};

const SECRET: ReadonlySet<Option> = new Set(['password', 'apiKey', 'secret']);

/** Where documents go: a sink of the configuration, or the first one. */
export function SinkFields({ sinks, wish, onChange, xml }: SinkProps): JSX.Element {
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
            onChange={({ currentTarget: { value: type } }) => onChange({ ...wish, type, options: {} })}
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
      <div class="filters">
        {TYPES[wish.type]?.options.map((option) => (
          <div key={option} class="field">
            <label for={`sink-${option}`}>{LABELS[option]}</label>
            <input
              id={`sink-${option}`}
              class="mono"
              type={(SECRET.has(option) ? 'password' : 'text') as 'password'}
              autocomplete="off"
              required={option === 'index'}
              value={wish.options?.[option] ?? ''}
              onInput={({ currentTarget: { value } }) =>
                onChange({ ...wish, options: { ...wish.options, [option]: value } })
              }
            />
          </div>
        ))}
      </div>
      <SinkTest name={wish.name} disabled={wish.url === ''} draft={() => addSink(xml, wish.name, wish)} />
    </fieldset>
  );
}
