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
export const isAllowedAddress = (ip: string, allowedCidrs: readonly string[]): boolean =>
  isPublicAddress(ip) || isInAnyCidr(ip, LOOPBACK) || isInAnyCidr(ip, allowedCidrs);

/** Thrown if documents must not be pushed to the sink's address. */
export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress';
  constructor(host: string, addresses: readonly string[]) {
    const location = addresses[0] === host ? host : `${host} (${addresses.join(', ')})`;
    super(`${location} is neither loopback nor public; to push there, permit its address block with AllowAddress`);
  }
}

/** Throws ForbiddenAddress for a URL with a forbidden IP address, because the lookup is only called for host names. */
export function checkLiteralHost(url: URL, allowedCidrs: readonly string[]): void {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host)) requireAllowed(host, [host], allowedCidrs);
}

/** Throws ForbiddenAddress if any of the host's addresses is forbidden, because it is not known which one will be used. */
export function requireAllowed(host: string, addresses: readonly string[], allowedCidrs: readonly string[]): void {
  if (!addresses.every((address) => isAllowedAddress(address, allowedCidrs)))
    throw new ForbiddenAddress(host, addresses);
}

/**
 * Creates a DNS lookup that returns only allowed addresses. It runs for every connection, which goes to exactly the
 * returned address, so that a name cannot be checked with one address and used with another.
 */
export function createGuardedLookup(allowedCidrs: readonly string[]): LookupFunction {
  return (hostname, options, callback) => {
    const lookupOptions: LookupOptions & { all: true } = { ...options, all: true };
    dnsLookup(hostname, lookupOptions, (error, addresses: LookupAddress[]) => {
      if (error) return callback(error, '');
      const allowedAddresses = addresses.filter(({ address }) => isAllowedAddress(address, allowedCidrs));
      const [firstAddress] = allowedAddresses;
      if (!firstAddress) {
        const refusedAddresses = addresses.map(({ address }) => address);
        return callback(new ForbiddenAddress(hostname, refusedAddresses), '');
      }
      if (options.all) callback(null, allowedAddresses);
      else callback(null, firstAddress.address, firstAddress.family);
    });
  };
}

export interface Agents {
  readonly httpAgent: http.Agent;
  readonly httpsAgent: https.Agent;
}

/** Checks a host for clients that open their own connections. Throws ForbiddenAddress or the lookup's error. */
export async function resolveAndCheckHost(host: string, allowedCidrs: readonly string[]): Promise<void> {
  const addresses = isIP(host) ? [host] : (await lookup(host, { all: true })).map(({ address }) => address);
  requireAllowed(host, addresses, allowedCidrs);
}

interface AgentSettings {
  readonly allowedAddresses: readonly string[];
  readonly tls?: SinkTls;
  /** Fingerprint of the server's or an authority's certificate; see pinned-agent.ts. */
  readonly fingerprint?: string;
}

export function createAgents({ allowedAddresses, tls, fingerprint }: AgentSettings, maxSockets: number): Agents {
  const options = { keepAlive: true, maxSockets, lookup: createGuardedLookup(allowedAddresses) };
  const httpsOptions = { ...options, ...toTlsOptions(tls) };
  return {
    httpAgent: new http.Agent(options),
    httpsAgent: fingerprint === undefined ? new https.Agent(httpsOptions) : new PinnedAgent(httpsOptions, fingerprint),
  };
}

/** Returns the TLS options of a sink's connections. */
export function toTlsOptions(tls: SinkTls | undefined): Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'passphrase'> {
  if (!tls) return {};
  const { certificateAuthorities: authorities, clientCertificate: client } = tls;
  return {
    ...(authorities.length > 0 ? { ca: [...getCACertificates('default'), ...authorities] } : {}),
    ...(client ? { cert: client.certificate, key: client.key.reveal(), passphrase: client.passphrase?.reveal() } : {}),
  };
}
