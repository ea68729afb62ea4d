/** Chooses which of a fetcher's proxies a URL goes through. */
import type { ProxyDefinition } from '../crawl/fetcher-definition.js';
import { isInAnyCidr } from './address.js';

interface Route {
  readonly proxy: ProxyDefinition;
  readonly origin?: string;
  readonly path: string;
}

export type ProxyChooser = (url: URL) => ProxyDefinition | undefined;

/** Chooses the proxy with the longest matching prefix; none if the host is in its list of exceptions. */
export function createProxyChooser(proxies: readonly ProxyDefinition[]): ProxyChooser {
  const routes = proxies
    .flatMap((proxy): Route[] => {
      if (proxy.for === undefined) return [{ proxy, path: '' }];
      const prefix = URL.parse(proxy.for);
      return prefix ? [{ proxy, origin: prefix.origin, path: prefix.pathname + prefix.search }] : [];
    })
    .sort((a, b) => b.path.length - a.path.length);
  return (url) => {
    const path = url.pathname + url.search;
    const matchesRoute = ({ origin, path: prefix }: Route): boolean =>
      origin === undefined || (origin === url.origin && path.startsWith(prefix));
    const proxy = routes.find(matchesRoute)?.proxy;
    return proxy?.noProxy.some((entry) => matchesException(entry, url)) ? undefined : proxy;
  };
}

/**
 * `example.com` includes its subdomains, `*` means every host; CIDR blocks apply only to hosts that are addresses,
 * since no name is looked up here.
 */
function matchesException(entry: string, { hostname, port, protocol }: URL): boolean {
  if (entry === '*') return true;
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const [, hostPart = entry, requiredPort] = /^([^:]*|\[.*\]):(\d+)$/.exec(entry) ?? [];
  if (requiredPort !== undefined && requiredPort !== (port || (protocol === 'https:' ? '443' : '80'))) return false;
  const name = hostPart.toLowerCase().replace(/^\*?\./, '');
  return host === name || host.endsWith(`.${name}`) || isInAnyCidr(host, [hostPart]);
}
