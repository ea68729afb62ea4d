import { expect, it } from 'vitest';
import { instant } from '../../../domain/time/units.js';
import { RefusedLinks } from './refused-links.js';

it('links filtered by conditions are counted, and listed only when the condition logs them', () => {
  const refused = new RefusedLinks();
  const link = (path: string, record: boolean) => ({
    url: `http://a/${path}`,
    hostKey: 'a',
    reason: 'condition-filtered' as const,
    record,
  });
  for (const one of [link('secret', false), link('logged', true)]) refused.add(one, 'http://a/', instant(0));
  expect(refused.total).toBe(2);
  expect(refused.list()).toMatchObject([{ count: 2, samples: [{ url: 'http://a/logged' }] }]);
});

it('a refused link that is too long to read is truncated', () => {
  const refused = new RefusedLinks();
  const name = 'h'.repeat(10_000);
  for (const path of ['a', 'b']) {
    refused.add({ url: `http://${name}/${path}`, hostKey: name, reason: 'url-too-long' }, 'http://a/', instant(0));
  }
  refused.add({ url: 'http://a/x', hostKey: 'a', reason: 'offsite' }, 'http://a/', instant(0));
  const [long, short] = refused.list();
  expect(long?.count).toBe(2);
  expect(long?.hostKey.length).toBeLessThan(2_100);
  expect(long?.samples.map(({ url }) => url)).toEqual([`${`http://${name}`.slice(0, 2_048)}…`]);
  expect(short?.samples.map(({ url }) => url)).toEqual(['http://a/x']);
});
