import type { JSX } from 'preact';
import type { Calls } from '../../api/schema.js';
import { changeQuery } from '../../state/route.js';
import { useReasons } from '../../ui/reasons.js';

type ListQuery = Calls['GET /api/v1/crawlers/{crawler}/urls']['query'];

/** How long ago a URL was last visited. */
const AGES = {
  'within-1h': ['within the last hour', 3600],
  'within-1d': ['within the last day', 86_400],
  'over-1d': ['more than a day ago', 86_400],
  'over-7d': ['more than a week ago', 7 * 86_400],
  'over-30d': ['more than a month ago', 30 * 86_400],
} as const;
type Age = keyof typeof AGES;

export type Filters = Omit<ListQuery, 'cursor' | 'limit' | 'visitedBefore' | 'visitedSince'> & { readonly age?: Age };

/** What the server is asked: an age is a moment, counted from now. */
export function queryOf({ age, ...rest }: Filters): ListQuery {
  if (age === undefined) return rest;
  const moment = new Date(Date.now() - AGES[age][1] * 1000).toISOString();
  return age.startsWith('within') ? { ...rest, visitedSince: moment } : { ...rest, visitedBefore: moment };
}

export const STATUSES = [
  'waiting',
  'indexed',
  'visited',
  'redirected',
  'error',
  'excluded',
  'elsewhere',
  'filtered',
] as const;
const SOURCES = ['user', 'redir', 'index', 'index_follow', 'follow', 'refresh'] as const;
const TEXTS = ['prefix', 'like', 'host', 'reason'] as const;

const oneOf = <T extends string>(values: readonly T[], text: string | null): T | undefined =>
  values.find((value) => value === text);

/** What the address bar says of the list; anything else in it is ignored. */
export function filtersOf(query: URLSearchParams): Filters {
  const texts = Object.fromEntries(TEXTS.map((name) => [name, query.get(name) ?? undefined]));
  const indexed = query.get('indexed');
  return {
    ...texts,
    status: oneOf(STATUSES, query.get('status')),
    source: oneOf(SOURCES, query.get('source')),
    indexed: indexed === null ? undefined : indexed === 'true',
    age: oneOf(Object.keys(AGES) as Age[], query.get('age')),
  };
}

export const isFiltered = (filters: Filters): boolean => Object.values(filters).some((value) => value !== undefined);

export function UrlFilters({ filters }: { filters: Filters }): JSX.Element {
  const reasons = useReasons();
  const apply = (event: Event): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const entries = [...form].map(([name, value]) => [name, String(value).trim() || undefined] as const);
    changeQuery({ ...Object.fromEntries(entries), cursor: undefined });
  };
  const clear = (): void =>
    changeQuery(
      Object.fromEntries([...TEXTS, 'status', 'source', 'indexed', 'age', 'cursor'].map((name) => [name, undefined])),
    );
  return (
    <form class="filters" onSubmit={apply}>
      <Text
        name="prefix"
        label="URL begins with"
        value={filters.prefix}
        placeholder="https://docs.example.com/news/"
        grow
      />
      <Text name="like" label="URL is like (% any, _ one character)" value={filters.like} placeholder="%/archive/%" />
      <Text name="host" label="Host" value={filters.host} />
      <Choice name="status" label="Status" value={filters.status} values={STATUSES} />
      <Choice name="source" label="Source" value={filters.source} values={SOURCES} />
      <Choice name="indexed" label="In the index" value={filters.indexed?.toString()} values={['true', 'false']} />
      <Choice name="age" label="Last visited" value={filters.age} values={Object.keys(AGES)} />
      <Text name="reason" label="Reason or error code" value={filters.reason} list="reason-codes" />
      <datalist id="reason-codes">
        {[...reasons.values()].map(({ code, meaning }) => (
          <option key={code} value={code}>
            {meaning}
          </option>
        ))}
      </datalist>
      <div class="actions">
        <button type="submit" class="button primary">
          Apply
        </button>
        {isFiltered(filters) && (
          <button type="button" class="button" onClick={clear}>
            Clear filter
          </button>
        )}
      </div>
    </form>
  );
}

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly value?: string;
}

const Text = ({
  name,
  label,
  value,
  grow,
  ...rest
}: FieldProps & { grow?: boolean; placeholder?: string; list?: string }): JSX.Element => (
  <div class={grow ? 'field grow' : 'field'}>
    <label for={`filter-${name}`}>{label}</label>
    <input id={`filter-${name}`} name={name} defaultValue={value ?? ''} type="text" spellcheck={false} {...rest} />
  </div>
);

const WORDS: Readonly<Record<string, string>> = {
  true: 'yes',
  false: 'no',
  ...Object.fromEntries(Object.entries(AGES).map(([age, [words]]) => [age, words])),
};

const Choice = ({ name, label, value, values }: FieldProps & { values: readonly string[] }): JSX.Element => (
  <div class="field">
    <label for={`filter-${name}`}>{label}</label>
    <select id={`filter-${name}`} name={name} defaultValue={value ?? ''}>
      <option value="">any</option>
      {values.map((one) => (
        <option key={one} value={one} selected={one === value}>
          {WORDS[one] ?? one}
        </option>
      ))}
    </select>
  </div>
);
