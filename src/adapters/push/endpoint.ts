import { lookup as dnsLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { lookup } from 'node:dns/promises';
import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { type ConnectionOptions, getCACertificates } from 'node:tls';
import type { SinkTls } from '../../domain/crawl/sink-definition.js';
import { isInAnyCidr, isPublicAddress } from '../../domain/net/address.js';
import { PinnedAgent } from './pinned-agent.js';

const LOOPBACK = ['127.0.0.0/8', '::1/128'];

/** Loopback and public addresses are allowed; any other address requires the operator's permission. */
export const isAllowedAddress = (ip: string, allowed: readonly string[]): boolean =>
  isPublicAddress(ip) || isInAnyCidr(ip, LOOPBACK) || isInAnyCidr(ip, allowed);

/** Documents may not be pushed to the sink's address. */
export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress';
  constructor(host: string, addresses: readonly string[]) {
    const where = addresses[0] === host ? host : `${host} (${addresses.join(', ')})`;
    super(`${where} is neither loopback nor public; to push there, name its block in the sink's allowedAddresses`);
  }
}

/** Throws ForbiddenAddress for a URL whose host is a forbidden IP address: such hosts never reach the lookup. */
export function checkLiteralHost(url: URL, allowed: readonly string[]): void {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) && !isAllowedAddress(host, allowed)) throw new ForbiddenAddress(host, [host]);
}

/**
 * Creates a DNS lookup that returns only allowed addresses. It runs for every connection, which goes to exactly the
 * returned address, so that a name cannot be checked with one address and used with another.
 */
export function createGuardedLookup(allowed: readonly string[]): LookupFunction {
  return (hostname, options, callback) => {
    const all: LookupOptions & { all: true } = { ...options, all: true };
    dnsLookup(hostname, all, (error, addresses: LookupAddress[]) => {
      if (error) return callback(error, '');
      const vetted = addresses.filter(({ address }) => isAllowedAddress(address, allowed));
      const [first] = vetted;
      if (!first) {
        const refused = addresses.map(({ address }) => address);
        return callback(new ForbiddenAddress(hostname, refused), '');
      }
      if (options.all) callback(null, vetted);
      else callback(null, first.address, first.family);
    });
  };
}

export interface Agents {
  readonly httpAgent: http.Agent;
  readonly httpsAgent: https.Agent;
}

/** For clients that open their own connections. Throws ForbiddenAddress or the lookup's error. */
export async function resolveAndCheckHost(host: string, allowed: readonly string[]): Promise<void> {
  const addresses = isIP(host) ? [host] : (await lookup(host, { all: true })).map(({ address }) => address);
  if (!addresses.every((address) => isAllowedAddress(address, allowed))) throw new ForbiddenAddress(host, addresses);
}

interface AgentSettings {
  readonly allowedAddresses: readonly string[];
  readonly tls?: SinkTls;
  /** Fingerprint of the server's or an authority's certificate, see pinned-agent.ts. */
  readonly fingerprint?: string;
}

export function createAgents({ allowedAddresses, tls, fingerprint }: AgentSettings, maxSockets: number): Agents {
  const options = { keepAlive: true, maxSockets, lookup: createGuardedLookup(allowedAddresses) };
  const secure = { ...options, ...toTlsOptions(tls) };
  return {
    httpAgent: new http.Agent(options),
    httpsAgent: fingerprint === undefined ? new https.Agent(secure) : new PinnedAgent(secure, fingerprint),
  };
}

/** The TLS options of a sink's connections, apart from the address. */
export function toTlsOptions(tls: SinkTls | undefined): Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'passphrase'> {
  if (!tls) return {};
  const { certificateAuthorities: authorities, clientCertificate: client } = tls;
  return {
    ...(authorities.length > 0 ? { ca: [...getCACertificates('default'), ...authorities] } : {}),
    ...(client ? { cert: client.certificate, key: client.key.reveal(), passphrase: client.passphrase?.reveal() } : {}),
  };
}
