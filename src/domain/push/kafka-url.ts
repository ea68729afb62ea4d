/** The contents of a `kafka` sink's URL: `kafka://broker:9092,other:9092`, or `kafkas://` over TLS. */
export interface KafkaAddress {
  readonly brokers: readonly { readonly host: string; readonly port: number }[];
  readonly tls: boolean;
}

const DEFAULT_PORT = 9092;
const EXPECTED_FORM = '`kafka://host:port`, with commas between several brokers, or `kafkas://` for TLS';
const BROKER = /^(\[[0-9a-f:]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/i;

/** Parses the URL of a sink; if it is not valid, returns a description of the expected form. */
export function parseKafkaUrl(url: string): KafkaAddress | string {
  const match = /^kafka(s?):\/\/([^/?#]+)\/?$/i.exec(url.trim());
  if (!match) return EXPECTED_FORM;
  const brokers = match[2]!.split(',').map((text) => {
    const [, host, port = String(DEFAULT_PORT)] = BROKER.exec(text.trim()) ?? [];
    return host === undefined ? undefined : { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
  });
  const validBrokers = brokers.filter((broker) => broker !== undefined && broker.port > 0 && broker.port < 65_536);
  if (validBrokers.length < brokers.length) return EXPECTED_FORM;
  return { brokers: validBrokers as KafkaAddress['brokers'], tls: match[1] !== '' };
}

export function findKafkaUrlFault(url: string): string | undefined {
  const parsed = parseKafkaUrl(url);
  return typeof parsed === 'string' ? parsed : undefined;
}
