/** The title of a page, or the next best name that the page gives itself. */

/** The meta that says where a title comes from if the page has no `<title>`. */
export const TITLE_SOURCE = 'title_source';

interface NamedPage {
  readonly title: string;
  readonly metas: readonly NamedValue[];
  readonly structured?: readonly NamedValue[];
  readonly firstHeading?: string;
}

interface NamedValue {
  readonly name: string;
  readonly value: string;
}

/** Metas that state a page's title, the most deliberate one first. */
const TITLE_METAS = [
  'og:title',
  'twitter:title',
  'title',
  'dc.title',
  'dcterms.title',
  'citation_title',
  'jsonld.headline',
  'jsonld.name',
];
const MAX_TITLE_LENGTH = 2_048;

/** @returns `source` is set if the title is derived; an empty title if nothing on the page can serve as one */
export function findTitle({ title, metas, structured = [], firstHeading }: NamedPage): {
  readonly title: string;
  readonly source?: string;
} {
  if (title.trim() !== '') return { title };
  const values = new Map<string, string>();
  for (const { name, value } of [...metas, ...structured])
    if (value.trim() !== '' && !values.has(name)) values.set(name, value.trim());
  const source = TITLE_METAS.find((name) => values.has(name));
  if (source !== undefined) return { title: values.get(source)!.slice(0, MAX_TITLE_LENGTH).toWellFormed(), source };
  return firstHeading === undefined ? { title } : { title: firstHeading, source: 'h1' };
}
