/**
 * Parses IP addresses and CIDR blocks, and checks whether an address is public or in one of the configured blocks.
 * Anything that cannot be parsed as an address is neither public nor in any block: the checks fail closed. Sources: the
 * IANA IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890 and its updates), RFC 4291, RFC 5952.
 */

/** 4 or 16 bytes. An IPv4-mapped IPv6 address is stored as the IPv4 address that a connection to it reaches. */
export type Address = readonly number[];

export interface Cidr {
  readonly base: Address;
  /** Prefix length: 0…32 or 0…128. */
  readonly bits: number;
}

const OCTET = /^(?:0|[1-9]\d{0,2})$/;
const GROUP = /^[0-9a-f]{1,4}$/i;
const BITS = /^(?:0|[1-9]\d{0,2})$/;
const MAPPED_PREFIX: Address = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255];
/** Length of the longest valid string: an IPv6 address with a dotted tail, a zone and a netmask of the same length. */
const MAX_TEXT_LENGTH = 128;

/**
 * Parses an IPv4 or IPv6 address. Brackets and a zone (`%eth0`) are allowed; octal, hexadecimal and short IPv4 forms
 * are not.
 */
export function parseAddress(text: string): Address | undefined {
  if (text.length > MAX_TEXT_LENGTH) return undefined;
  const unbracketed = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  if (!unbracketed.includes(':')) return parseIPv4(unbracketed);
  const bytes = parseIPv6(unbracketed.split('%', 1)[0] ?? '');
  return bytes && isMappedIPv4(bytes) ? bytes.slice(12) : bytes;
}

function parseIPv4(text: string): Address | undefined {
  const octets = text.split('.');
  if (octets.length !== 4 || !octets.every((octet) => OCTET.test(octet))) return undefined;
  const bytes = octets.map(Number);
  return bytes.every((byte) => byte < 256) ? bytes : undefined;
}

function parseIPv6(text: string): Address | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const head = parseGroups(halves[0] ?? '', halves.length === 1);
  const tail = halves.length === 2 ? parseGroups(halves[1] ?? '', true) : [];
  if (!head || !tail) return undefined;
  const gapLength = 16 - head.length - tail.length;
  // `::` replaces at least one group; without it, no group may be missing.
  if (halves.length === 2 ? gapLength < 2 : gapLength !== 0) return undefined;
  return [...head, ...new Array<number>(gapLength).fill(0), ...tail];
}

/** Parses colon-separated groups to bytes; the last group may be dotted IPv4 if the address ends there. */
function parseGroups(text: string, endsAddress: boolean): number[] | undefined {
  if (text === '') return [];
  const bytes: number[] = [];
  const groups = text.split(':');
  for (const [index, group] of groups.entries()) {
    if (endsAddress && index === groups.length - 1 && group.includes('.')) {
      const ipv4Bytes = parseIPv4(group);
      if (!ipv4Bytes) return undefined;
      bytes.push(...ipv4Bytes);
    } else {
      if (!GROUP.test(group)) return undefined;
      const value = Number.parseInt(group, 16);
      bytes.push(value >> 8, value & 255);
    }
  }
  return bytes;
}

const isMappedIPv4 = (bytes: Address): boolean =>
  bytes.length === 16 && MAPPED_PREFIX.every((byte, index) => bytes[index] === byte);

/** Parses `10.0.0.0/8`, `::1/128` or a single address. Bits of the base beyond the prefix are cleared. */
export function parseCidr(text: string): Cidr | undefined {
  if (text.length > MAX_TEXT_LENGTH) return undefined;
  const slashIndex = text.indexOf('/');
  const addressText = slashIndex < 0 ? text : text.slice(0, slashIndex);
  const bitsText = slashIndex < 0 ? undefined : text.slice(slashIndex + 1);
  const base = parseAddress(addressText);
  if (!base || addressText.includes('%') || (bitsText !== undefined && !BITS.test(bitsText))) return undefined;
  const isMapped = base.length === 4 && addressText.includes(':');
  const bits = bitsText === undefined ? base.length * 8 : Number(bitsText) - (isMapped ? 96 : 0);
  return bits >= 0 && bits <= base.length * 8 ? { base: applyMask(base, bits), bits } : undefined;
}

function applyMask(address: Address, bits: number): Address {
  return address.map((byte, index) => byte & createByteMask(bits - index * 8));
}

/** Mask that keeps the first `bits` bits of one byte; any integer is allowed. */
const createByteMask = (bits: number): number => (bits >= 8 ? 255 : bits <= 0 ? 0 : (255 << (8 - bits)) & 255);

export function cidrContains(cidr: Cidr, address: Address): boolean {
  if (cidr.base.length !== address.length) return false;
  return cidr.base.every((byte, index) => ((byte ^ address[index]!) & createByteMask(cidr.bits - index * 8)) === 0);
}

/** Whether `ip` is in one of the blocks. Blocks and addresses that cannot be parsed match nothing. */
export function isInAnyCidr(ip: string, cidrs: readonly string[]): boolean {
  if (cidrs.length === 0) return false;
  const address = parseAddress(ip);
  if (!address) return false;
  return cidrs.some((text) => {
    const cidr = parseCidr(text);
    return cidr !== undefined && cidrContains(cidr, address);
  });
}

/**
 * Converts `IP`, `IP/BITS` or `IP NETMASK` to a CIDR block in canonical form (host bits cleared, IPv6 as in RFC 5952);
 * undefined if the text has none of these forms or the netmask is not contiguous.
 */
export function normalizeCidr(text: string): string | undefined {
  const parts = text.trim().split(/\s+/, 3);
  const cidr = parts.length === 2 ? createCidrFromNetmask(parts[0] ?? '', parts[1] ?? '') : parseCidr(parts[0] ?? '');
  if (!cidr || parts.length > 2) return undefined;
  return `${formatAddress(cidr.base)}/${cidr.bits}`;
}

function createCidrFromNetmask(ip: string, netmask: string): Cidr | undefined {
  const base = parseCidr(ip)?.base;
  const mask = parseAddress(netmask);
  if (!base || !mask || ip.includes('/') || mask.length !== base.length) return undefined;
  const bitString = mask.map((byte) => byte.toString(2).padStart(8, '0')).join('');
  if (!/^1*0*$/.test(bitString)) return undefined;
  const bits = bitString.lastIndexOf('1') + 1;
  return { base: applyMask(base, bits), bits };
}

/**
 * Formats an address as canonical text: dotted decimal, or lower-case IPv6 with the longest run of zero
 * groups replaced by `::` (RFC 5952).
 */
export function formatAddress(address: Address): string {
  if (address.length === 4) return address.join('.');
  const groups: string[] = [];
  for (let index = 0; index < 16; index += 2) {
    groups.push((((address[index] ?? 0) << 8) | (address[index + 1] ?? 0)).toString(16));
  }
  const { start, length } = findLongestZeroRun(groups);
  if (length < 2) return groups.join(':');
  return `${groups.slice(0, start).join(':')}::${groups.slice(start + length).join(':')}`;
}

function findLongestZeroRun(groups: readonly string[]): { start: number; length: number } {
  let longest = { start: 0, length: 0 };
  let start = 0;
  for (const [index, group] of groups.entries()) {
    if (group !== '0') start = index + 1;
    else if (index + 1 - start > longest.length) longest = { start, length: index + 1 - start };
  }
  return longest;
}

const parseBlocks = (...texts: readonly string[]): readonly Cidr[] =>
  texts.map((text) => {
    const cidr = parseCidr(text);
    if (!cidr) throw new Error(`not a CIDR block: ${text}`);
    return cidr;
  });

const IPV4_NOT_PUBLIC = parseBlocks(
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // shared by carrier-grade NAT
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local, cloud metadata services
  '172.16.0.0/12', // private
  '192.0.0.0/24', // IETF protocol assignments
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays, withdrawn
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, limited broadcast
);

/**
 * Only this part of IPv6 is allocated as global unicast; the rest (ULA, link-local, multicast, SRv6 …) is not public.
 */
const IPV6_GLOBAL_UNICAST = parseBlocks('2000::/3');

const IPV6_NOT_PUBLIC = parseBlocks(
  '2001::/23', // IETF protocol assignments, Teredo among them
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4: reaches an embedded IPv4 address of the sender's choice
  '3fff::/20', // documentation
);

/** The well-known NAT64 prefix (RFC 6052): as public as the IPv4 address in its last four bytes. */
const NAT64 = parseBlocks('64:ff9b::/96');

const isInAnyBlock = (cidrs: readonly Cidr[], address: Address): boolean =>
  cidrs.some((cidr) => cidrContains(cidr, address));

/**
 * Whether anyone on the Internet may reach the address; false for special-purpose addresses and for text that is not an
 * address.
 */
export function isPublicAddress(ip: string): boolean {
  const address = parseAddress(ip);
  return address !== undefined && isPublic(address);
}

function isPublic(address: Address): boolean {
  if (address.length === 4) return !isInAnyBlock(IPV4_NOT_PUBLIC, address);
  if (isInAnyBlock(NAT64, address)) return isPublic(address.slice(12));
  return isInAnyBlock(IPV6_GLOBAL_UNICAST, address) && !isInAnyBlock(IPV6_NOT_PUBLIC, address);
}
