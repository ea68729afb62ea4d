import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { Calls } from '../../api/schema.js';
import { applyForm, useAddressForm } from '../../state/address-form.js';
import { changeQuery } from '../../state/route.js';
import { useReasons } from '../../ui/reasons.js';

type ListQuery = Calls['GET /api/v1/crawlers/{crawler}/urls']['query'];

/** Choices for the time of the last visit: label and age in seconds. */
const AGES = {
  'within-1h': ['within the last hour', 3600],
  'within-1d': ['within the last day', 86_400],
  'over-1d': ['more than a day ago', 86_400],
  'over-7d': ['more than a week ago', 7 * 86_400],
  'over-30d': ['more than a month ago', 30 * 86_400],
} as const;
type Age = keyof typeof AGES;

/** The filters in the form that the server expects. */
export type FilterQuery = Omit<ListQuery, 'cursor' | 'limit' | 'sort' | 'direction'>;

export type Filters = Omit<FilterQuery, 'visitedBefore' | 'visitedSince'> & { readonly age?: Age };

/** Converts filters to the form that the server expects: an age becomes a time relative to now. */
export function toQuery({ age, ...rest }: Filters): FilterQuery {
  if (age === undefined) return rest;
  const time = new Date(Date.now() - AGES[age][1] * 1000).toISOString();
  return age.startsWith('within') ? { ...rest, visitedSince: time } : { ...rest, visitedBefore: time };
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
  'removed',
  '760',
  '761',
] as const;
const SOURCES = ['user', 'redir', 'index', 'index_follow', 'follow', 'refresh'] as const;
const TEXT_FILTERS = ['prefix', 'like', 'host', 'reason'] as const;

const parseOneOf = <T extends string>(values: readonly T[], text: string | null): T | undefined =>
  values.find((value) => value === text);

/** Reads the filters from the query of the address, and ignores other parameters. */
export function parseFilters(query: URLSearchParams): Filters {
  const textFilters = Object.fromEntries(TEXT_FILTERS.map((name) => [name, query.get(name) ?? undefined]));
  const indexed = query.get('indexed');
  return {
    ...textFilters,
    status: parseOneOf(STATUSES, query.get('status')),
    source: parseOneOf(SOURCES, query.get('source')),
    indexed: indexed === null ? undefined : indexed === 'true',
    age: parseOneOf(Object.keys(AGES) as Age[], query.get('age')),
  };
}

/** Lists the active filters as text. */
export const describeFilters = (filters: Filters): [name: keyof Filters, words: string][] =>
  (Object.keys(LABELS) as (keyof Filters)[]).flatMap((name) => {
    const value = filters[name];
    return value === undefined ? [] : [[name, VALUE_LABELS[String(value)] ?? String(value)]];
  });

export const isFiltered = (filters: Filters): boolean => Object.values(filters).some((value) => value !== undefined);

export const LABELS: Readonly<Record<keyof Filters, string>> = {
  prefix: 'URL begins with',
  like: 'URL matches (* or % for any characters)',
  host: 'Host (with port, if any)',
  status: 'Status',
  source: 'Source',
  indexed: 'In the index',
  age: 'Last visited',
  reason: 'Reason or error code',
};

export function UrlFilters({ filtered }: { filtered: boolean }): JSX.Element {
  const reasons = useReasons();
  const form = useAddressForm();
  const applyButton = useRef<HTMLButtonElement>(null);
  const clearFilters = (): void => {
    changeQuery(Object.fromEntries([...Object.keys(LABELS), 'cursor'].map((name) => [name, undefined])));
    applyButton.current?.focus(); // the button that had the focus disappears
  };
  return (
    <form ref={form} class="filters" onSubmit={applyForm}>
      <TextField name="prefix" placeholder="https://docs.example.com/news/" grow />
      <TextField name="like" placeholder="*/archive/*" />
      <TextField name="host" placeholder="docs.example.com:8080" />
      <SelectField name="status" values={STATUSES} />
      <SelectField name="source" values={SOURCES} />
      <SelectField name="indexed" values={['true', 'false']} />
      <SelectField name="age" values={Object.keys(AGES)} />
      <TextField name="reason" list="reason-codes" />
      <datalist id="reason-codes">
        {[...reasons.values()].map(({ code, meaning }) => (
          <option key={code} value={code}>
            {meaning}
          </option>
        ))}
      </datalist>
      <div class="actions">
        <button ref={applyButton} type="submit" class="button primary">
          Apply
        </button>
        {filtered && (
          <button type="button" class="button" onClick={clearFilters}>
            Clear filter
          </button>
        )}
      </div>
    </form>
  );
}

interface TextProps {
  readonly name: keyof Filters;
  readonly grow?: boolean;
  readonly placeholder?: string;
  readonly list?: string;
}

const TextField = ({ name, grow, ...rest }: TextProps): JSX.Element => (
  <div class={grow ? 'field grow' : 'field'}>
    <label for={`filter-${name}`}>{LABELS[name]}</label>
    <input id={`filter-${name}`} name={name} type="text" spellcheck={false} {...rest} />
  </div>
);

const VALUE_LABELS: Readonly<Record<string, string>> = {
  true: 'yes',
  false: 'no',
  ...Object.fromEntries(Object.entries(AGES).map(([age, [label]]) => [age, label])),
};

const SelectField = ({ name, values }: { name: keyof Filters; values: readonly string[] }): JSX.Element => (
  <div class="field">
    <label for={`filter-${name}`}>{LABELS[name]}</label>
    <select id={`filter-${name}`} name={name}>
      <option value="">any</option>
      {values.map((value) => (
        <option key={value} value={value}>
          {VALUE_LABELS[value] ?? value}
        </option>
      ))}
    </select>
  </div>
);
