import { expect, it } from 'vitest';
import { createPageReader } from './page-reader.js';

const reader = createPageReader();

function read(body: string, mediaType: string) {
  const extractor = reader.findExtractor(mediaType);
  if (extractor?.kind !== 'sync') throw new Error(`nothing reads ${mediaType}`);
  const context = { url: 'http://a/', contentType: `${mediaType}; charset=utf-8`, maxLinks: 10, maxTextLength: 1_000 };
  const content = extractor.extract(Buffer.from(body), mediaType, context);
  if ('refused' in content) throw new Error(content.detail);
  return {
    title: content.title,
    text: content.text,
    links: content.links.map(({ href }) => href),
    fields: content.fields,
  };
}

it('reads the values and title of JSON, and invalid JSON as plain text', () => {
  expect(read('{"title":"T","a":["x",{"b":1.5}],"c":null}', 'application/json')).toMatchObject({
    title: 'T',
    text: 'T x 1.5',
  });
  expect(read('{"a":"x"}', 'application/geo+json').text).toBe('x');
  expect(read('[12345678901234567890,1e400,1.50]', 'application/json').text).toBe('12345678901234567890 1e400 1.50');
  expect(read('{"a":"x"', 'application/json').text).toBe('{"a":"x"');
  expect(read('['.repeat(100_000), 'application/json').text.length).toBe(1_000);
  expect(read('{"a":"x\\nz"}\n{"a":"y"}\n', 'application/x-ndjson').text).toBe('x z\ny');
});

it('reads cells and columns of tables', () => {
  const fields = [
    { name: 'column', value: 'a' },
    { name: 'column', value: 'b, c' },
    { name: 'row_count', value: '2' },
  ];
  const text = 'a b, c\n1 say "x"\n2 3 4';
  for (const end of ['\r\n', '\n', '\r'])
    expect(read(`a,"b, c"${end}1,"say ""x"""${end}2,"3${end}4"${end}`, 'text/csv')).toMatchObject({ text, fields });
  expect(read('a;b\n1,5;2\n', 'text/csv').text).toBe('a b\n1,5 2');
  expect(read('a\tb\n1\t2', 'text/tab-separated-values').text).toBe('a b\n1 2');
});

it('finds out what separates the cells of a table', () => {
  const columns = [
    { name: 'column', value: 'a' },
    { name: 'column', value: 'b,;c' },
    { name: 'row_count', value: '1' },
  ];
  for (const separator of [',', ';', '\t', '|'])
    expect(read(`a${separator}"b,;c"\n1${separator}2\n`, 'text/csv')).toMatchObject({ fields: columns });
  expect(read('sep=#\r\na#"b,;c"\n1#2', 'text/csv')).toMatchObject({ text: 'a b,;c\n1 2', fields: columns });
});

it('reads title, front matter and links of Markdown', () => {
  const page = `---\ntitle: "From the front"\nauthor: Ada\n---\n# Heading\nSee [x](/x_(y) "t"), <https://b/> and [z][1].\n\n[1]: ../z\n`;
  const { title, links, fields, text } = read(page, 'text/markdown');
  expect([title, links, fields]).toEqual([
    'From the front',
    ['/x_(y)', 'https://b/', '../z'],
    [{ name: 'author', value: 'Ada' }],
  ]);
  expect(text).toContain('# Heading\nSee');
  expect(read('# GET /users/{id}\n', 'text/markdown').title).toBe('GET /users/{id}');
  for (const attributes of [
    '{#id}',
    '{ #id .wide }',
    '{: .wide }',
    '{lang=fr}',
    '{ data-toc="x" }',
    '{ - }',
    '{/* #id */}',
  ])
    expect(read(`# First steps ${attributes}\n`, 'text/markdown').title).toBe('First steps');
  expect(read('text\n\n## Second ##\n', 'text/markdown').title).toBe('Second');
  expect(read('Under\nlined\n=====\n# Second\n', 'text/markdown').title).toBe('lined');
  expect(read('<h1 align="center">HTML</h1>\n<a id="x" href="y.html">z</a>\n', 'text/markdown')).toMatchObject({
    title: 'HTML',
    links: ['y.html'],
  });
});

it('takes nothing in the code of Markdown for a heading or a link', () => {
  const code = '```sh\n# install\nrun[it](now)\n~~~\n```\n~~~~\n# more\n```\n~~~~\n';
  const page = `${code}\n# Use\n\nCall \`a[i](x)\` as [told](b.md).\n`;
  expect(read(page, 'text/markdown')).toMatchObject({ title: 'Use', links: ['b.md'] });
});
