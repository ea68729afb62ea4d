import type { JSX } from 'preact';
import { href } from '../state/route.js';

/** A URL as text, leading to its URL history. Nothing here links straight to the web. */
export function UrlLink({ crawler, url }: { crawler: string; url: string }): JSX.Element {
  return (
    <a class="url" href={href('/url', { crawler, url })} title={url}>
      {url}
    </a>
  );
}

/** A link to the page itself, without telling it about the console. */
export function OpenPage({ url }: { url: string }): JSX.Element | null {
  if (!/^https?:\/\//.test(url)) return null;
  return (
    <a class="button" href={url} target="_blank" rel="noopener noreferrer">
      Open page
    </a>
  );
}
