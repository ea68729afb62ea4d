/** Recognizes listings of folders that web servers generate: by their titles, which name the folder, or by what they link to. */
import type { CrawlUrl } from '../url/crawl-url.js';
import { decodePercent } from '../url/decode-percent.js';

/** Apache, nginx, lighttpd and Artifactory; Python and Tomcat; Jetty; serve. A folder has a slash: an index of authors has none. */
const NAMED_FOLDER = /^(?:index of|directory listing (?:for|of)|directory:|files within) \[?([^\]]+)\]?$/i;

/** Links that sort a listing, by the column: those of mod_autoindex in all its versions, which others have adopted, and of Caddy. */
const SORT_LINK =
  /^(?:\.\/)?\?(?:C=([NMSD])(?:[;&]O=[AD])?|([NMSD])=[AD]|sort=(name|namedirfirst|size|time)&order=(?:asc|desc)|layout=(?:list|grid)?)$/;

type Links = readonly { readonly href: string }[];

export function isDirectoryListing(
  { title, text, links }: { readonly title: string; readonly text: string; readonly links: Links },
  { path, host }: CrawlUrl,
): boolean {
  if (!path.endsWith('/')) return false;
  if (/ - powered by h5ai v\d/.test(title) || isSortable(links)) return true;
  if (title === '') return hasOnlyNames(text, links);
  const folder = NAMED_FOLDER.exec(title)?.[1] ?? findIisFolder(title, host);
  if (!folder?.includes('/')) return false;
  // Behind a proxy, a server knows only a part of the path.
  const [shown, requested] = [foldFolder(folder), foldFolder(path)];
  return (
    shown === requested ||
    (shown !== '/' && requested.endsWith(shown)) ||
    (requested !== '/' && shown.endsWith(requested))
  );
}

export const isSortLink = (href: string): boolean => SORT_LINK.test(href);

/** Whether it has links by three columns of files: a title of its own says nothing. */
const isSortable = (links: Links): boolean =>
  new Set(links.flatMap(({ href }) => SORT_LINK.exec(href)?.slice(1).filter(Boolean) ?? [])).size >= 3;

const RELATIVE_NAME = /^[^/?#:]+\/?$/;

/** Whether the text of a page is nothing but the names to which it links, as Go's file server writes them. */
const hasOnlyNames = (text: string, links: Links): boolean =>
  links.length > 0 &&
  links.every(({ href }) => RELATIVE_NAME.test(href)) &&
  foldSpaces(text) === foldSpaces(links.map(({ href }) => decodePercent(href)).join(' '));

const foldSpaces = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** IIS writes `host - /folder/`. */
const findIisFolder = (title: string, host: string): string | undefined =>
  title.toLowerCase().startsWith(`${host} - /`) ? title.slice(host.length + 3) : undefined;

function foldFolder(folder: string): string {
  const path = decodePercent(folder.startsWith('/') ? folder : `/${folder}`);
  let end = path.length;
  while (end > 0 && path[end - 1] === '/') end--;
  return `${path.slice(0, end)}/`;
}
