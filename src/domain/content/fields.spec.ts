import { describe, expect, it } from 'vitest';
import { toCrawlUrl } from '../url/crawl-url.js';
import type { FieldDefinition } from './content-definition.js';
import { compileFields, type FieldFacts } from './fields.js';

const place = { file: 'c.xml', line: 1, column: 1 };
const field = (parts: Partial<FieldDefinition>): FieldDefinition => ({
  name: 'f',
  source: { kind: 'select', selector: 'h1' },
  type: 'text',
  multiple: false,
  place,
  ...parts,
});
const read = (parts: Partial<FieldDefinition>, facts: Partial<FieldFacts> = {}) =>
  compileFields([field(parts)])({
    url: toCrawlUrl('http://a.example:81/p?q=1', 'top'),
    base: 'http://a.example/b/',
    metas: [],
    found: undefined,
    ...facts,
  });
const found = (...values: readonly string[]) => ({ found: new Map([[0, values]]) });
const valuesOf = (metas: readonly { readonly value: string }[]) => metas.map(({ value }) => value);

describe('a field', () => {
  it.each([
    ['url', 'http://a.example:81/p?q=1'],
    ['scheme', 'http'],
    ['host', 'a.example'],
    ['path', '/p'],
    ['query', 'q=1'],
    ['fragment', 'top'],
  ] as const)('reads the %s of the URL', (part, value) => {
    expect(read({ source: { kind: 'url', part } })).toEqual([{ name: 'f', value }]);
  });

  it('reads metas of its name, whatever their case, and what selectors found for it', () => {
    const metas = [
      { name: 'author', value: 'Ann' },
      { name: 'authors', value: 'x' },
      { name: 'author', value: 'Bob' },
    ];
    const source = { kind: 'meta', name: 'Author' } as const;
    expect(valuesOf(read({ source, multiple: true }, { metas }))).toEqual(['Ann', 'Bob']);
    expect(valuesOf(read({ source }, { metas }))).toEqual(['Ann']);
    expect(read({ source })).toEqual([]);
    expect(read({})).toEqual([]);
    expect(valuesOf(read({}, found('a', 'b')))).toEqual(['a']);
    expect(read({}, { found: new Map([[1, ['other']]]) })).toEqual([]);
    const two = compileFields([field({ name: 'one' }), field({ name: 'two', source: { kind: 'jsonld', path: 'x' } })]);
    expect(
      two({
        url: toCrawlUrl('http://a/'),
        base: '',
        metas,
        found: new Map([
          [0, ['a']],
          [1, ['b']],
        ]),
      }),
    ).toEqual([
      { name: 'one', value: 'a' },
      { name: 'two', value: 'b' },
    ]);
  });

  it('has each value once, and leaves out those that are not of its type', () => {
    const values = found('x', '7', '7.0', '', '8');
    expect(read({ type: 'number', multiple: true }, values)).toEqual([
      { name: 'f', value: '7', type: 'number' },
      { name: 'f', value: '8', type: 'number' },
    ]);
    expect(valuesOf(read({ type: 'number' }, values))).toEqual(['7']);
  });

  it('has a type if it is a date or a number', () => {
    expect(read({ type: 'date' }, found('2026-01-02'))).toMatchObject([{ type: 'date' }]);
    expect(read({ type: 'boolean' }, found('yes'))).toEqual([{ name: 'f', value: 'true' }]);
    expect(read({ type: 'url' }, found('c'))).toEqual([{ name: 'f', value: 'http://a.example/b/c' }]);
  });

  it('takes the first group of its match, or all of it, as often as it is there', () => {
    const values = found('No. 12, No. 13', 'No. 14');
    expect(valuesOf(read({ match: 'No\\. (\\d+)', multiple: true }, values))).toEqual(['12', '13', '14']);
    expect(valuesOf(read({ match: '\\d+', multiple: true }, values))).toEqual(['12', '13', '14']);
    expect(valuesOf(read({ match: 'No\\. (\\d+)' }, values))).toEqual(['12']);
    expect(read({ match: '[a-z]{9}' }, values)).toEqual([]);
    expect(read({ match: 'x(y)?' }, found('x'))).toEqual([]);
  });

  it('is bounded: 1,000 values of 8,000 characters, found within the first 32,768', () => {
    const many = found(...Array.from({ length: 1_500 }, (_, i) => String(i)));
    expect(read({ multiple: true }, many)).toHaveLength(1_000);
    expect(read({ multiple: true, match: '\\d+' }, many)).toHaveLength(1_000);
    expect(read({}, found('x'.repeat(9_000)))[0]!.value).toHaveLength(8_000);
    const at = (position: number) => read({ match: 'y' }, found(`${'x'.repeat(position)}y`)).length;
    expect([at(32_767), at(32_768)]).toEqual([1, 0]);
  });
});
