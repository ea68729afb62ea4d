import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pushDocument } from '../../../test/support/push-orders.js';
import type { MapStep } from '../../domain/push/map-steps.js';
import type { Meta } from '../../domain/push/order.js';
import { mapDocument } from './map-document.js';

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
const step = (change: Partial<MapStep> & { field: string }): MapStep => ({ lowerCase: false, drop: false, ...change });

function mapped(metas: readonly (readonly [string, string])[], ...steps: (Partial<MapStep> & { field: string })[]) {
  const document = pushDocument('http://a/', { metas: metas.map(([name, value]) => ({ name, value })) });
  return mapDocument(document, steps.map(step)).metas.map(({ name, value }) => `${name}=${value}`);
}

describe('Map', () => {
  it.each<[string, readonly (readonly [string, string])[], Partial<MapStep> & { field: string }, string[]]>([
    [
      'renames',
      [
        ['author', 'Ada'],
        ['x', '1'],
      ],
      { field: 'author', rename: 'creator' },
      ['creator=Ada', 'x=1'],
    ],
    [
      'renames by a pattern',
      [
        ['dc.title', 'T'],
        ['dc.x', '1'],
      ],
      { field: 'dc.*', rename: 'dublin_*' },
      ['dublin_title=T', 'dublin_x=1'],
    ],
    [
      'renames no meta of a page by a pattern to one that says who may see it',
      [
        ['acl_allow', 'hr'],
        ['dc.acl_allow', 'everyone'],
        ['dc.acl_deny', 'nobody'],
        ['dc.x', '1'],
      ],
      { field: 'dc.*', rename: '*' },
      ['acl_allow=hr', 'dc.acl_allow=everyone', 'dc.acl_deny=nobody', 'x=1'],
    ],
    [
      'drops',
      [
        ['author', 'Ada'],
        ['x', '1'],
      ],
      { field: 'a*', drop: true },
      ['x=1'],
    ],
    ['gives a default', [['x', '1']], { field: 'team', default: 'none' }, ['x=1', 'team=none']],
    ['leaves a value that is there', [['team', 'a']], { field: 'team', default: 'none' }, ['team=a']],
    ['splits', [['k', 'a, b,,c']], { field: 'k', split: ',' }, ['k=a', 'k=b', 'k=c']],
    [
      'joins',
      [
        ['k', 'a'],
        ['x', '1'],
        ['k', 'b'],
      ],
      { field: 'k', join: '; ' },
      ['k=a; b', 'x=1'],
    ],
    ['splits, then joins', [['k', 'a,b']], { field: 'k', split: ',', join: '|' }, ['k=a|b']],
    ['lowers the case', [['k', 'ÀB']], { field: 'k', lowerCase: true }, ['k=àb']],
    ['hashes', [['k', 'a']], { field: 'k', hash: 'sha256' }, [`k=${digest('a')}`]],
    ['copies', [['k', 'a']], { field: 'k', copyTo: 'l' }, ['k=a', 'l=a']],
    ['moves by copying and dropping', [['k', 'a']], { field: 'k', copyTo: 'l', drop: true }, ['l=a']],
    ['reads integers', [['n', ' +007 ']], { field: 'n', type: 'integer' }, ['n=7']],
    ['reads numbers', [['n', '1.50']], { field: 'n', type: 'number' }, ['n=1.5']],
    ['reads truth', [['b', 'Yes']], { field: 'b', type: 'boolean' }, ['b=true']],
    [
      'reads dates',
      [['d', 'Sat, 31 Jan 2026 10:00:00 GMT']],
      { field: 'd', type: 'date' },
      ['d=2026-01-31T10:00:00.000Z'],
    ],
    ['reads a year', [['d', '2026']], { field: 'd', type: 'date' }, ['d=2026-01-01T00:00:00.000Z']],
    [
      'reads dates of a format',
      [['d', '31.1.2026 7:05']],
      { field: 'd', dateFormat: 'dd.MM.yyyy HH:mm' },
      ['d=2026-01-31T07:05:00.000Z'],
    ],
  ])('%s', (_, metas, change, expected) => {
    expect(mapped(metas, change)).toEqual(expected);
  });

  it.each<[Partial<MapStep>, string, string]>([
    [{ type: 'integer' }, '1.5', 'field f: "1.5" is not an integer'],
    [{ type: 'number' }, 'many', 'field f: "many" is not a number'],
    [{ type: 'boolean' }, 'perhaps', 'field f: "perhaps" is not true or false'],
    [{ type: 'date' }, 'soon', 'field f: "soon" is not a date'],
    [{ type: 'date' }, '2026-02-30', 'field f: "2026-02-30" is not a date'],
    [{ dateFormat: 'dd.MM.yyyy' }, '31.02.2026', 'field f: "31.02.2026" is not a date like dd.MM.yyyy'],
  ])('reports the field and the value of %j that has the wrong type', (change, value, message) => {
    expect(() => mapped([['f', value]], { field: 'f', ...change })).toThrow(message);
  });

  it.each<[Partial<MapStep>, string, Meta['type'], Meta['type']]>([
    [{ rename: 'g' }, '2026-01-31T00:00:00.000Z', 'date', 'date'],
    [{ copyTo: 'f' }, '7', 'number', 'number'],
    [{ type: 'date' }, '2026-01-31', undefined, 'date'],
    [{ dateFormat: 'yyyy-MM-dd' }, '2026-01-31', undefined, 'date'],
    [{ type: 'integer' }, '7', undefined, 'number'],
    [{ type: 'number' }, '7', undefined, 'number'],
    [{ type: 'text' }, '7', 'number', undefined],
    [{ type: 'boolean' }, '1', 'number', undefined],
    [{ type: 'number', hash: 'sha256' }, '7', 'number', undefined],
    [{ join: ' ', lowerCase: true }, '2026-01-31T00:00:00.000Z', 'date', undefined],
  ])('%j of %j with the type %s gives it the type %s', (change, value, before, after) => {
    const document = pushDocument('http://a/', { metas: [{ name: 'f', value, ...(before && { type: before }) }] });
    const { metas } = mapDocument(document, [step({ field: 'f', ...change })]);
    expect(new Set(metas.map(({ type }) => type))).toEqual(new Set([after]));
  });

  it('applies steps in their order', () => {
    const steps = [
      { field: 'a', rename: 'b' },
      { field: 'b', lowerCase: true },
      { field: 'a', default: 'new' },
    ];
    expect(mapped([['a', 'X']], ...steps)).toEqual(['b=x', 'a=new']);
  });

  it('can put the text into a field of its own', () => {
    const document = pushDocument('http://a/', { text: 'Herons', metas: [] });
    expect(mapDocument(document, [step({ field: 'text', copyTo: 'excerpt', drop: true })])).toMatchObject({
      text: '',
      metas: [{ name: 'excerpt', value: 'Herons' }],
    });
  });

  it.each([
    ['yyyy', `${'1'.repeat(60)}x`],
    ['yyyy MM', `2026${' '.repeat(500_000)}x`],
  ])('a page cannot choose a value that takes long for a date pattern with repeated parts after %j', (start, value) => {
    const dateFormat = `${start}${'ss'.repeat(12)}`;
    expect(() => mapped([['f', value]], { field: 'f', dateFormat })).toThrow('is not a date like');
  });

  it('reads every date pattern and value in bounded time, and changes nothing else', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), fc.string({ maxLength: 40 }), (value, rest) => {
        try {
          const result = mapped(
            [
              ['other', value],
              ['d', value],
            ],
            { field: 'd', dateFormat: `yyyy${rest}` },
          );
          expect(result[0]).toBe(`other=${value}`);
        } catch (error) {
          expect((error as Error).name).toBe('UnmappableValue');
        }
      }),
    );
  });
});
