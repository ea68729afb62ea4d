/**
 * Reads what a site allows to be done with its content: AIPREF's Content-Usage (drafts ietf-aipref-vocab and -attach),
 * Content-Signal, and the TDM Reservation Protocol. The drafts change, so the vocabulary is a table. Preferences about
 * search indexing are obeyed; all others are delivered with the document.
 */
import { toMetaName } from './meta-names.js';

export interface Preference {
  /** Name of the meta that sinks receive. */
  readonly name: string;
  /** As the site wrote it. */
  readonly value: string;
}

interface PreferenceField {
  /** Name of the header and of the record in robots.txt. */
  readonly field: string;
  /** Expressions that forbid search engines to index the content, by name and value. */
  readonly forbidsSearch: readonly (readonly [name: string, value: string])[];
  /** A general name whose value applies if the more specific name is absent. */
  readonly generalName?: string;
}

const PREFERENCE_FIELDS: readonly PreferenceField[] = [
  {
    field: 'content-usage',
    forbidsSearch: [['search', 'n']],
    generalName: 'bots',
  },
  { field: 'content-signal', forbidsSearch: [['search', 'no']] },
  { field: 'tdm-reservation', forbidsSearch: [] },
  { field: 'tdm-policy', forbidsSearch: [] },
];

const MAX_VALUE_LENGTH = 1_000;

/** Reads the preferences from the response header, or from the page's metas with the same names. */
export function readPreferences(
  headers: Readonly<Record<string, string>>,
  metas: readonly { readonly name: string; readonly value: string }[],
): Preference[] {
  const found: Preference[] = [];
  for (const { field } of PREFERENCE_FIELDS) {
    const value = headers[field] ?? metas.find(({ name }) => name === field)?.value;
    if (value) found.push({ name: toMetaName(field), value: value.slice(0, MAX_VALUE_LENGTH) });
  }
  return found;
}

/** The preference that forbids search engines to index the content, if there is one. */
export const findSearchProhibition = (preferences: readonly Preference[]): Preference | undefined =>
  preferences.find(({ name, value }) => {
    const field = PREFERENCE_FIELDS.find((entry) => toMetaName(entry.field) === name);
    const expressions = parseExpressions(value);
    return field?.forbidsSearch.some(([expressionName, forbiddenValue]) => {
      const statedValue =
        expressions.get(expressionName) ??
        (field.generalName === undefined ? undefined : expressions.get(field.generalName));
      return statedValue === forbiddenValue;
    });
  });

/**
 * Parses `search=n, train-ai=y;x` into names and values in lower case; the last of equal names applies, as in a
 * structured dictionary (RFC 9651).
 */
function parseExpressions(text: string): Map<string, string> {
  const expressions = new Map<string, string>();
  for (const part of text.toLowerCase().split(/[,\n]/, 100)) {
    const [name, value] = part.split(';', 1)[0]!.split('=', 2);
    if (value !== undefined) expressions.set(name!.trim(), value.trim().replace(/^"|"$/g, ''));
  }
  return expressions;
}
