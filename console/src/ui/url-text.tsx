import type { JSX } from 'preact';
import { href } from '../state/route.js';

/** A URL that links to its URL history, and never directly to the web. */
export function UrlLink({ crawler, url }: { crawler: string; url: string }): JSX.Element {
  return (
    <a class="url" href={href('/url', { crawler, url })} title={url}>
      {url}
    </a>
  );
}

/** A link to the page itself that does not reveal the console's address to it. */
export function PageLink({ url }: { url: string }): JSX.Element | null {
  if (!/^https?:\/\//.test(url)) return null;
  return (
    <a class="button" href={url} target="_blank" rel="noopener noreferrer">
      Open page
    </a>
  );
}
