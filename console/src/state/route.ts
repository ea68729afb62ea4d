/**
 * The current location in the console: path and query of the address bar. They determine the view and its filters, so
 * that the address can be sent to a colleague.
 */
import { useEffect, useState } from 'preact/hooks';
import { queryText } from '../api/client.js';

export interface Route {
  readonly path: string;
  readonly query: URLSearchParams;
}

const NAVIGATION_EVENT = 'crawlway:moved';

const getCurrentRoute = (): Route => ({ path: location.pathname, query: new URLSearchParams(location.search) });

export function useRoute(): Route {
  const [route, setRoute] = useState(getCurrentRoute);
  useEffect(() => {
    const update = (): void => setRoute(getCurrentRoute());
    addEventListener('popstate', update);
    addEventListener(NAVIGATION_EVENT, update);
    return () => {
      removeEventListener('popstate', update);
      removeEventListener(NAVIGATION_EVENT, update);
    };
  }, []);
  return route;
}

export function href(path: string, query: object = {}): string {
  const search = queryText(query);
  return search ? `${path}?${search}` : path;
}

export function navigate(target: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', target);
  else history.pushState(null, '', target);
  dispatchEvent(new Event(NAVIGATION_EVENT));
}

/** Changes some query parameters and keeps the others. An empty value removes a parameter. */
export function changeQuery(changes: Readonly<Record<string, string | undefined>>, options = { replace: false }): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
  const search = query.toString();
  navigate(search ? `${location.pathname}?${search}` : location.pathname, options);
}

/** Makes plain links navigate inside the console without reloading the page. */
export function followLink(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
  const link = (event.target as Element).closest('a');
  if (!link || link.target || link.origin !== location.origin || link.dataset['leave'] !== undefined) return;
  event.preventDefault();
  const pathChanged = link.pathname !== location.pathname;
  navigate(link.pathname + link.search);
  if (pathChanged) scrollTo(0, 0);
}
