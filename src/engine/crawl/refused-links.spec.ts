import { expect, it } from 'vitest';
import { instant } from '../../domain/time/units.js';
import { RefusedLinks } from './refused-links.js';

it('of a refused link that no person can read to its end the beginning is kept', () => {
  const refused = new RefusedLinks();
  const name = 'h'.repeat(10_000);
  for (const path of ['a', 'b']) {
    refused.add({ url: `http://${name}/${path}`, hostKey: name, reason: 'url-too-long' }, 'http://a/', instant(0));
  }
  refused.add({ url: 'http://a/x', hostKey: 'a', reason: 'offsite' }, 'http://a/', instant(0));
  const [long, short] = refused.views();
  expect(long?.count).toBe(2);
  expect(long?.hostKey.length).toBeLessThan(2_100);
  expect(long?.samples.map(({ url }) => url)).toEqual([`${`http://${name}`.slice(0, 2_048)}…`]);
  expect(short?.samples.map(({ url }) => url)).toEqual(['http://a/x']);
});
