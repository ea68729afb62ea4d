import { lookup as dnsLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { inCidrs, isPublicAddress } from '../../domain/net/address.js';

const LOOPBACK = ['127.0.0.0/8', '::1/128'];

/** A sink on this machine or on the public Internet is fine; any other address wants the operator's word. */
export const isAllowedAddress = (ip: string, allowed: readonly string[]): boolean =>
  isPublicAddress(ip) || inCidrs(ip, LOOPBACK) || inCidrs(ip, allowed);

/** The sink's address is none that may be pushed to. */
export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress';
  constructor(host: string, addresses: readonly string[]) {
    const where = addresses[0] === host ? host : `${host} (${addresses.join(', ')})`;
    super(`${where} is neither loopback nor public; to push there, name its block in the sink's allowedAddresses`);
  }
}

/** Throws ForbiddenAddress for a URL whose host is written as a forbidden address: those never reach the lookup. */
export function checkLiteralHost(url: URL, allowed: readonly string[]): void {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) && !isAllowedAddress(host, allowed)) throw new ForbiddenAddress(host, [host]);
}

/**
 * A DNS lookup that answers with allowed addresses only. It runs at every connect and the connection goes to exactly what
 * it answered, so that a name cannot be checked with one address and used with another.
 */
export function vettedLookup(allowed: readonly string[]): LookupFunction {
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

export function createAgents(allowed: readonly string[], maxSockets: number): Agents {
  const options = { keepAlive: true, maxSockets, lookup: vettedLookup(allowed) };
  return { httpAgent: new http.Agent(options), httpsAgent: new https.Agent(options) };
}
