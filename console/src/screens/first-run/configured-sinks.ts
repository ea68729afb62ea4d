/** Reads the sinks of the configuration, with their addresses. */
export function readSinks(xml: string): { name: string; type: string; url: string }[] {
  const document = new DOMParser().parseFromString(xml, 'application/xml');
  const sinks = [...document.getElementsByTagNameNS('*', 'Sink')];
  return sinks.map((sink) => ({
    name: sink.getAttribute('name') ?? '',
    type: sink.getAttribute('type') ?? '',
    url: sink.getAttribute('url') ?? '',
  }));
}

/** Reads the contact from the fetcher that crawlers use by default. */
export function readContact(xml: string): string {
  const document = new DOMParser().parseFromString(xml, 'application/xml');
  const fetchers = [...document.getElementsByTagNameNS('*', 'Fetcher')];
  const defaultFetcher = fetchers.find((fetcher) => (fetcher.getAttribute('name') ?? 'default') === 'default');
  return defaultFetcher?.getAttribute('contact') ?? '';
}
