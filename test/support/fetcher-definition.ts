/** A complete fetcher definition that may reach loopback, for tests and benchmarks that vary a part of it. */
import type { FetcherDefinition } from '../../src/domain/crawl/fetcher-definition.js';
import { minutes } from '../../src/domain/time/units.js';

const DEFAULTS: FetcherDefinition = {
  name: 'default',
  userAgent: 'crawlway-test/1.0',
  robotsAgent: 'crawlway-test',
  headers: {},
  boundHeaders: [],
  secretHeaders: [],
  secretServers: [],
  // For what hangs: on a busy machine, an answer may take long.
  connectTimeout: minutes(5),
  headerTimeout: minutes(5),
  bodyTimeout: minutes(5),
  totalTimeout: minutes(10),
  maxSize: 1_000_000,
  maxRedirects: 5,
  allowedAddresses: ['127.0.0.1/32'],
  credentials: [],
  logins: [],
  cookies: true,
  certificateAuthorities: [],
  verifyCertificates: true,
};

export const fetcherDefinition = (parts: Partial<FetcherDefinition> = {}): FetcherDefinition => ({
  ...DEFAULTS,
  ...parts,
});
