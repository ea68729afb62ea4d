import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatAddress, isInAnyCidr, isPublicAddress, normalizeCidr, parseAddress, parseCidr } from './address.js';

describe('which addresses are public', () => {
  it.each([
    ['8.8.8.8'],
    ['1.1.1.1'],
    ['100.63.255.255'],
    ['100.128.0.0'],
    ['172.15.255.255'],
    ['172.32.0.0'],
    ['192.0.1.0'],
    ['198.17.255.255'],
    ['223.255.255.255'],
    ['2606:4700:4700::1111'],
    ['2a00:1450:4001:81b::200e'],
    ['2001:200::1'],
    ['::ffff:8.8.8.8'],
    ['64:ff9b::808:808'],
    ['[2606:4700:4700::1111]'],
  ])('%s is public', (ip) => expect(isPublicAddress(ip)).toBe(true));

  it.each([
    ['0.0.0.0', 'this network'],
    ['0.1.2.3', 'this network'],
    ['10.0.0.1', 'private'],
    ['100.64.0.1', 'carrier-grade NAT'],
    ['100.127.255.255', 'carrier-grade NAT'],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['169.254.169.254', 'link-local'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.0.0.8', 'protocol assignments'],
    ['192.0.2.1', 'documentation'],
    ['192.88.99.1', '6to4 relay'],
    ['192.168.1.1', 'private'],
    ['198.19.255.255', 'benchmarks'],
    ['198.51.100.7', 'documentation'],
    ['203.0.113.7', 'documentation'],
    ['224.0.0.1', 'multicast'],
    ['255.255.255.255', 'broadcast'],
    ['::', 'unspecified'],
    ['::1', 'loopback'],
    ['::7f00:1', 'IPv4-compatible'],
    ['::ffff:127.0.0.1', 'mapped loopback'],
    ['::ffff:a00:1', 'mapped private in hexadecimal'],
    ['0:0:0:0:0:ffff:c0a8:0101', 'mapped private, long form'],
    ['64:ff9b::7f00:1', 'NAT64 of loopback'],
    ['64:ff9b::10.1.2.3', 'NAT64 of a private address'],
    ['64:ff9b:1::1', 'local NAT64'],
    ['100::1', 'discard'],
    ['2001::1', 'Teredo'],
    ['2001:10::1', 'ORCHID'],
    ['2001:db8::1', 'documentation'],
    ['2002:7f00:1::', '6to4'],
    ['3fff::1', 'documentation'],
    ['5f00::1', 'SRv6'],
    ['fc00::1', 'ULA'],
    ['fd12:3456::1', 'ULA'],
    ['fe80::1%eth0', 'link-local with a zone'],
    ['fec0::1', 'site-local'],
    ['ff02::1', 'multicast'],
  ])('%s is not public (%s)', (ip) => expect(isPublicAddress(ip)).toBe(false));

  it.each([
    '',
    'localhost',
    '127.1',
    '2130706433',
    '0x7f.0.0.1',
    '010.0.0.1',
    '1.2.3.4.5',
    '8.8.8.256',
    ':',
    ':::',
    '1::2::3',
    '8.8.8.8 ',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1.2.3.4::',
    '2606:4700:3:4::5:6:7:8',
    'g::1',
    '12345::',
  ])('what is not an address is not public: %j', (text) => expect(isPublicAddress(text)).toBe(false));
});

describe('CIDR blocks', () => {
  it.each([
    ['10.1.2.3', '10.1.2.3/32'],
    ['10.1.2.3/8', '10.0.0.0/8'],
    [' 10.1.2.3/32 ', '10.1.2.3/32'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['9.20.0.0 255.255.0.0', '9.20.0.0/16'],
    ['9.20.3.4\t255.255.255.255', '9.20.3.4/32'],
    ['9.20.3.4 0.0.0.0', '0.0.0.0/0'],
    ['172.16.5.1 255.240.0.0', '172.16.0.0/12'],
    ['::1', '::1/128'],
    ['2001:DB8:0:0:1:0:0:1', '2001:db8::1:0:0:1/128'],
    ['fd00::1/7', 'fc00::/7'],
    ['::/0', '::/0'],
    ['2001:db8::1 ffff:ffff::', '2001:db8::/32'],
    ['::ffff:10.0.0.1', '10.0.0.1/32'],
    ['::ffff:10.0.0.1/104', '10.0.0.0/8'],
    ['10.255.255.255/9', '10.128.0.0/9'],
    ['172.31.255.255/16', '172.31.0.0/16'],
  ])('%j is %s', (text, cidr) => expect(normalizeCidr(text)).toBe(cidr));

  it.each([
    '',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0.0/08',
    '10.0.0',
    'example.com',
    '10.0.0.0 255.0.255.0',
    '10.0.0.0/8 255.0.0.0',
    '10.0.0.0 255.0.0.0 x',
    '::1/129',
    '::1 255.0.0.0',
    'fe80::1%eth0/64',
    '::ffff:10.0.0.1/95',
    `1${'0'.repeat(1000)}`,
  ])('%j is refused', (text) => expect(normalizeCidr(text)).toBeUndefined());

  it('hold the addresses below their prefix, whichever way those are written', () => {
    expect(isInAnyCidr('10.255.0.1', ['192.168.0.0/16', '10.0.0.0/8'])).toBe(true);
    expect(isInAnyCidr('::ffff:10.255.0.1', ['10.0.0.0/8'])).toBe(true);
    expect(isInAnyCidr('11.0.0.1', ['10.0.0.0/8'])).toBe(false);
    expect(isInAnyCidr('172.31.0.1', ['172.16.0.0/12'])).toBe(true);
    expect(isInAnyCidr('172.32.0.1', ['172.16.0.0/12'])).toBe(false);
    expect(isInAnyCidr('fd12::1', ['fc00::/7'])).toBe(true);
    expect(isInAnyCidr('::1', ['::1'])).toBe(true);
    expect(isInAnyCidr('10.0.0.1', ['::/0'])).toBe(false);
    expect(isInAnyCidr('nonsense', ['0.0.0.0/0', '::/0'])).toBe(false);
    expect(isInAnyCidr('10.0.0.1', ['nonsense'])).toBe(false);
  });

  it('contain exactly the addresses that share their leading bits', () => {
    const bytes = fc.oneof(
      fc.array(fc.nat(255), { minLength: 4, maxLength: 4 }),
      fc.array(fc.nat(255), { minLength: 16, maxLength: 16 }),
    );
    fc.assert(
      fc.property(bytes, fc.nat(128), fc.nat(127), (address, anyBits, anyFlip) => {
        const bits = anyBits % (address.length * 8 + 1);
        const flip = anyFlip % (address.length * 8);
        const flipped = address.map((byte, index) => (index === flip >> 3 ? byte ^ (128 >> (flip & 7)) : byte));
        const cidr = `${formatAddress(address)}/${bits}`;
        expect(isInAnyCidr(formatAddress(address), [cidr])).toBe(true);
        expect(isInAnyCidr(formatAddress(flipped), [cidr])).toBe(flip >= bits);
      }),
    );
  });

  it('come back from their own text unchanged', () => {
    fc.assert(
      fc.property(fc.ipV6(), (ip) => {
        const address = parseAddress(ip);
        expect(address).toBeDefined();
        if (address) expect(parseAddress(formatAddress(address))).toEqual(address);
      }),
    );
    fc.assert(
      fc.property(fc.ipV4(), (ip) => {
        expect(formatAddress(parseAddress(ip) ?? [])).toBe(ip);
      }),
    );
  });

  it('never throw, whatever text is parsed', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9a-f:./%[\] ]*$/)), (text) => {
        const cidr = parseCidr(text);
        if (cidr) expect(cidr.bits).toBeLessThanOrEqual(cidr.base.length * 8);
        normalizeCidr(text);
        isPublicAddress(text);
      }),
    );
  });
});
