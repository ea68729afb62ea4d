import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toCrawlUrl } from '../url/crawl-url.js';
import { type FollowMoves, findMoveObjection } from './move-rules.js';

const domainOf = (host: string): string | undefined =>
  host.includes('.') ? host.split('.').slice(-2).join('.') : undefined;
const at = (host: string) => toCrawlUrl(`http://${host}/`);
const judge = (from: string, to: string, more: object = {}, followMoves: FollowMoves = 'domain') =>
  findMoveObjection({ from: at(from), to: at(to), ...more }, followMoves, domainOf);

it.each([
  ['foo.com', 'www.foo.com', undefined],
  ['old.foo.com', 'new.foo.com', undefined],
  ['foo.com', 'bar.com', 'move-to-another-domain'],
  ['foo.com', 'foo.com.evil.net', 'move-to-another-domain'],
  ['intranet', 'wiki', 'move-to-another-domain'],
  ['intranet', 'intranet:8080', undefined],
])('%s to %s: %s', (from, to, objection) => expect(judge(from, to)).toBe(objection));

it('follows any public site if that is wanted, and none with `never`', () => {
  expect(judge('foo.com', 'bar.com', {}, 'any')).toBeUndefined();
  expect(judge('foo.com', 'www.foo.com', {}, 'never')).toBe('moves-not-followed');
});

it('never goes from a public to a private address, whatever the setting, unless an operator has decided so', () => {
  const addresses = fc.record({
    from: fc.constantFrom('93.184.216.34', '2606:2800:220:1::1'),
    to: fc.constantFrom('10.0.0.5', '127.0.0.1', '192.168.1.1', '169.254.169.254', '::1', 'fd00::1', '::ffff:10.0.0.1'),
  });
  fc.assert(
    fc.property(addresses, fc.constantFrom<FollowMoves>('domain', 'any', 'never'), (pair, followMoves) => {
      expect(judge('foo.com', 'in.foo.com', { addresses: pair }, followMoves)).toBe('move-to-private-address');
      expect(judge('foo.com', 'in.foo.com', { addresses: pair, approved: true }, followMoves)).toBeUndefined();
    }),
  );
  expect(judge('in.foo.com', 'b.foo.com', { addresses: { from: '10.0.0.1', to: '10.0.0.2' } })).toBeUndefined();
  expect(judge('in.foo.com', 'b.foo.com', { addresses: { to: '10.0.0.2' } })).toBeUndefined(); // not known to be public
});

it('never goes into the hosts of another crawler, not even if an operator has decided so', () => {
  for (const followMoves of ['domain', 'any', 'never'] as const)
    for (const approved of [true, false])
      expect(judge('foo.com', 'in.foo.com', { owner: 'intranet', approved }, followMoves)).toBe(
        'move-to-another-crawler',
      );
});
