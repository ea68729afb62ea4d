/** Recognizes listings of folders that web servers generate, by their titles, which name the folder. */
import type { CrawlUrl } from '../url/crawl-url.js';
import { decodePercent } from '../url/decode-percent.js';

/** Apache, nginx and lighttpd; Python and Tomcat; Jetty. */
const NAMED_FOLDER = /^(?:index of|directory listing (?:for|of)|directory:) \[?(\/[^\]]*?)\]?$/i;

/** Queries of the links that sort a listing: those of mod_autoindex in all its versions, which others have adopted. */
const SORT_LINK = /^\?(?:C=[NMSD](?:[;&]O=[AD])?|[NMSD]=[AD])$/;

export function isDirectoryListing({ title }: { readonly title: string }, { path, host }: CrawlUrl): boolean {
  if (!path.endsWith('/')) return false;
  const folder = NAMED_FOLDER.exec(title)?.[1] ?? findIisFolder(title, host);
  if (folder === undefined) return false;
  // Behind a proxy, a server knows only a part of the path.
  const [shown, requested] = [foldFolder(folder), foldFolder(path)];
  return (
    shown === requested ||
    (shown !== '/' && requested.endsWith(shown)) ||
    (requested !== '/' && shown.endsWith(requested))
  );
}

export const isSortLink = (href: string): boolean => SORT_LINK.test(href);

/** IIS writes `host - /folder/`. */
const findIisFolder = (title: string, host: string): string | undefined =>
  title.toLowerCase().startsWith(`${host} - /`) ? title.slice(host.length + 3) : undefined;

function foldFolder(folder: string): string {
  const path = decodePercent(folder);
  let end = path.length;
  while (end > 0 && path[end - 1] === '/') end--;
  return `${path.slice(0, end)}/`;
}
