/** The title of a page, without the name of its site, or the next best name that the page gives itself. */

/** The meta that says where a title comes from if the page has no `<title>`. */
export const TITLE_SOURCE = 'title_source';
/** The meta with the title as the page states it, if the name of the site was taken off. */
export const FULL_TITLE = 'title_full';

interface NamedPage {
  readonly title: string;
  readonly metas: readonly NamedValue[];
  readonly structured?: readonly NamedValue[];
  readonly firstHeading?: string;
  readonly siteNames?: readonly string[];
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

interface FoundTitle {
  /** Empty if nothing on the page can serve as one. */
  readonly title: string;
  /** Set if the title is derived. */
  readonly source?: string;
  /** Set if the name of the site was taken off. */
  readonly full?: string;
}

export function findTitle(page: NamedPage, path: string): FoundTitle {
  const found = findFullTitle(page);
  const title = HOME_PAGE.test(path) ? found.title : takeOffSiteName(found.title, page);
  return title === found.title ? found : { ...found, title, full: found.title };
}

/** The page of a site that its name is the best title of, also where the path is only a language. */
const HOME_PAGE = /^\/(?:[a-z]{2}(?:[-_][a-z]{2})?\/?)?(?:(?:index|default|home)(?:\.\w+)?)?$/i;

/** Metas that state the name of a page's site. */
const SITE_NAME_METAS = new Set(['og:site_name', 'application-name']);
const MAX_SITE_NAMES = 10;
/** What stands between the name of a page and that of its site. */
const SEPARATOR = /( ?\| ?| (?:[-–—·•]|::) )/;
/** Maximum number of separators within the name of a site. */
const MAX_INNER_SEPARATORS = 3;

/** Takes the name of the site off the end of the title, or off its beginning; only the page itself says what the name is. */
function takeOffSiteName(title: string, { metas, siteNames = [] }: NamedPage): string {
  const stated = metas.filter(({ name }) => SITE_NAME_METAS.has(name)).map(({ value }) => value);
  if (stated.length + siteNames.length === 0) return title;
  const names = new Set([...stated, ...siteNames].slice(0, MAX_SITE_NAMES).map(fold));
  names.delete('');
  if (names.size === 0) return title;
  // Parts of the title, with the separators between them: their number is odd.
  const pieces = title.split(SEPARATOR);
  for (let count = 1; count < pieces.length && count <= 2 * MAX_INNER_SEPARATORS + 1; count += 2) {
    const [atEnd, atStart] = [pieces.slice(-count), pieces.slice(0, count)];
    if (names.has(fold(atEnd.join('')))) return takeOff(title, pieces.slice(0, -count - 1));
    if (names.has(fold(atStart.join('')))) return takeOff(title, pieces.slice(count + 1));
  }
  return title;
}

const takeOff = (title: string, rest: readonly string[]): string => {
  const shorter = rest.join('').trim();
  return /[\p{L}\p{N}]/u.test(shorter) ? shorter : title;
};

const fold = (text: string): string => text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();

function findFullTitle({ title, metas, structured = [], firstHeading }: NamedPage): FoundTitle {
  if (title.trim() !== '') return { title };
  const values = new Map<string, string>();
  for (const { name, value } of [...metas, ...structured])
    if (value.trim() !== '' && !values.has(name)) values.set(name, value.trim());
  const source = TITLE_METAS.find((name) => values.has(name));
  if (source !== undefined) return { title: values.get(source)!.slice(0, MAX_TITLE_LENGTH).toWellFormed(), source };
  return firstHeading === undefined ? { title } : { title: firstHeading, source: 'h1' };
}
