import { expect, it } from 'vitest';
import type { Reason } from '../policy/reasons.js';
import type { Instant } from '../time/units.js';
import { ChangeFold, getSection, isInSection } from './changes.js';
import type { OrderKind } from './order.js';

/** The changes of one document, from its orders, the oldest first. */
function fold(...orders: readonly [OrderKind, Reason][]) {
  const changes = new ChangeFold();
  const newestFirst = orders
    .map(([kind, reason], i) => {
      const id = i + 1;
      return { id, crawler: 'test', uri: 'http://a.test/', kind, reason, decidedAt: id as Instant };
    })
    .reverse();
  for (const order of newestFirst) changes.add(order);
  return changes.list().map(({ change, reason }) => [change, reason]);
}

it.each<[string, [OrderKind, Reason][], unknown]>([
  ['new', [['add', 'indexed']], [['new', 'indexed']]],
  [
    'new and changed since',
    [
      ['add', 'indexed'],
      ['add', 'changed'],
    ],
    [['new', 'changed']],
  ],
  [
    'changed',
    [
      ['add', 'changed'],
      ['add', 'changed'],
    ],
    [['changed', 'changed']],
  ],
  [
    'gone',
    [
      ['add', 'changed'],
      ['delete', 'http-404'],
    ],
    [['gone', 'http-404']],
  ],
  [
    'gone and back',
    [
      ['delete', 'http-404'],
      ['add', 'indexed'],
    ],
    [['changed', 'indexed']],
  ],
  [
    'there only in between',
    [
      ['add', 'indexed'],
      ['delete', 'http-404'],
    ],
    [],
  ],
  ['sent to another sink', [['add', 'backfill']], []],
  [
    'changed, then sent again',
    [
      ['add', 'changed'],
      ['add', 'access-changed'],
    ],
    [['changed', 'changed']],
  ],
  [
    'new, then sent again',
    [
      ['add', 'indexed'],
      ['add', 'backfill'],
    ],
    [['new', 'indexed']],
  ],
])('a document that is %s', (_, orders, changes) => expect(fold(...orders)).toEqual(changes));

it.each([
  ['https://www.example.com/docs/a/b.html', 'www.example.com/docs/'],
  ['https://www.example.com/a.html', 'www.example.com/'],
  ['https://www.example.com:8443/', 'www.example.com:8443/'],
  ['https://www.example.com/docs?x=/y/', 'www.example.com/'],
])('the section of %s is %s', (uri, section) => {
  expect(getSection(uri)).toBe(section);
  expect(isInSection(uri, section)).toBe(true);
  expect(isInSection(uri, `https://${section}`)).toBe(true);
  expect(isInSection(uri, 'example.com/')).toBe(false);
});

it('a section may be named without its scheme, whatever URL is in the address of the document', () => {
  for (const section of ['a.test/go', 'http://a.test/go', ''])
    expect(isInSection('http://a.test/go?to=http://b.test/', section), section).toBe(true);
  for (const section of ['b.test/', 'ttp://a.test/', '/a.test/'])
    expect(isInSection('http://a.test/go?to=http://b.test/', section), section).toBe(false);
});
