import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ContentDefinition } from '../../../domain/content/content-definition.js';
import { HtmlScanner } from '../html/html-scanner.js';
import { TextBuffer } from '../html/text-buffer.js';
import { createPageReader } from '../page-reader.js';
import { ContentReader } from './content-reader.js';

const DEFINITION: ContentDefinition = {
  include: [],
  exclude: [],
  markers: [],
  main: false,
  omitRepeated: false,
  metas: true,
  fields: [],
  headings: false,
  markdown: false,
  changeDetection: 'content',
  place: { file: 'f', line: 1, column: 1 },
};

const read = (html: string, definition: Partial<ContentDefinition>) =>
  new ContentReader({ ...DEFINITION, ...definition }).read({
    utf8: Buffer.from(html),
    xml: false,
    base: 'http://a/b/',
    maxTextLength: 1_000_000,
    hasMarkers: new HtmlScanner(Buffer.from(html), new TextBuffer(), { maxLinks: 0, xml: false }).scan().hasMarkers,
    showsCut: true,
  });

const textOf = (html: string, definition: Partial<ContentDefinition>): string | undefined =>
  read(html, definition).text;

const createField = (selector: string) => ({
  name: selector,
  source: { kind: 'select', selector } as const,
  type: 'text' as const,
  multiple: false,
  place: DEFINITION.place,
});

it.each([
  ['googleoff', 'a <!--googleoff: all-->b<!--googleon: all--> c', 'a c'],
  ['googleoff', 'a <!--googleoff: anchor-->b<!--googleon: anchor--> c', 'a b c'],
  ['noindex', 'a <!-- robots noindex -->b <p>c</p><!-- /robots --> d <noindex>e</noindex>', 'a\nd'],
  ['noindex', 'a <!-- robots noindex -->b<!-- /robots noindex --> c', 'a c'],
  ['noindex', 'a <!--htdig_noindex-->b<!--/htdig_noindex--> c<!--UdmComment-->d<!--/UdmComment-->', 'a c'],
  ['noindex', 'a <!-- SwishCommand noindex -->b<!-- SwishCommand index --> c', 'a c'],
  ['noindex', 'a <!--stopindex-->b<!--startindex--> c<!-- BEGIN_NOINDEX -->d<!-- END_NOINDEX -->', 'a c'],
  ['noindex', 'a <!--ZOOMSTOP-->b<!--ZOOMRESTART--> c<!--sphider_noindex-->d<!--/sphider_noindex-->', 'a c'],
  ['noindex', 'a <!-- FreeFind Begin No Index -->b<!-- FreeFind End No Index --> c', 'a c'],
  ['nosnippet', 'a <p data-nosnippet>b</p> c', 'a c'],
  ['pagefind', 'a <p data-pagefind-ignore="all">b</p> c', 'a c'],
  ['swiftype', 'a <p data-swiftype-index=false>b <b data-swiftype-index=true>c</b></p>', 'a\nc'],
] as const)('obeys the marker %s: %s', (marker, html, text) => {
  expect(textOf(html, { markers: [marker] })).toBe(text);
  expect(textOf(html, { markers: [] })).not.toBe(text === 'a b c' ? '' : text);
});

const ARTICLE = '<p>A long paragraph, which says much about anvils, their weight, their use and their care.</p>'.repeat(
  3,
);

it.each([
  ['main', `<nav>Menu</nav><aside>More</aside><main>${ARTICLE}</main><p>Foot</p>`],
  ['one article', `<div class=menu>Menu</div><article><header><h1>T</h1></header>${ARTICLE}</article><p>Foot</p>`],
  [
    'text',
    `<div><ul><li><a href=/>Menu and much more of it, link after link</a></ul></div><div class=text>${ARTICLE}</div><div>Foot</div>`,
  ],
])('finds the main content by %s', (_, html) => {
  const text = textOf(`<body>${html}</body>`, { main: true });
  expect(text).toContain('anvils');
  expect(text).not.toMatch(/Menu|Foot|More/);
});

it('takes the text of a field without what is excluded inside of it', () => {
  const fields = ['h1', '.mark'].map(createField);
  const html = '<h1>Anvils<a class="mark">¶</a></h1><p>Heavy.</p>';
  const found = (exclude: string[]) => [...read(html, { fields, exclude }).found.values()];
  expect(found([])).toEqual([['Anvils¶'], ['¶']]);
  expect(found(['.mark'])).toEqual([['Anvils'], ['¶']]);
});

it.each([
  ['the link to a heading', '<h2>Use<a class="headerlink" href="#use">¶</a></h2>', 'Use'],
  ['the link in front of a heading', '<h2><a href="/p#use">#</a> Use</h2>', 'Use'],
  ['a picture of a font for icons', '<h2>Use<a href="#use">\uf0c1</a></h2>', 'Use'],
  ['the way back from a footnote', '<p>Note <a href="#r1">↩︎</a></p>', 'Note'],
  ['numbers of lines', '<table><tr><td class="linenos"><pre>1\n2</pre><td><pre>a\nb</pre></table>', 'a\nb'],
  ['numbers in the lines', '<pre><span class="lineno">1 </span>a\n<span class="lineno">2 </span>b</pre>', 'a\nb'],
])('leaves out %s', (_, html, text) => {
  const reading = read(html, { headings: true, fields: [createField('h2')] });
  expect(reading.text).toBe(text);
  expect([...(reading.headings ?? []).map((heading) => heading.text), ...(reading.found.get(0) ?? [])]).toEqual(
    html.startsWith('<h2') ? ['Use', 'Use'] : [],
  );
  expect(reading.isCut).toBeUndefined();
});

it.each([
  ['the heading', '<h2 id="use">Use</h2>'],
  ['an element in it', '<h2><span id="use">Use</span></h2>'],
  ['a link in it, which is left out', '<h2>Use<a class="anchor" href="#use">¶</a></h2>'],
  ['its section', '<section id="use"><div><h2>Use</h2></div><p>x</p></section>'],
  ['an empty link before it', '<p>x</p><a name="use"></a><h2>Use</h2>'],
])('names the fragment that leads to a heading, from %s', (_, html) => {
  const reading = read(html, { headings: true, chunks: { size: 20, overlap: 0, unit: 'tokens' } });
  expect([reading.headings![0]!.anchor, reading.chunks!.at(-1)!.anchor]).toEqual(['use', 'use']);
});

it('names no fragment of something else', () => {
  const anchors = ['<section id="s"><p>x</p><h2>Use</h2></section>', '<main id="m"><h2>Use</h2></main>'].map(
    (html) => read(html, { headings: true }).headings![0]!.anchor,
  );
  expect(anchors).toEqual([undefined, undefined]);
  expect(read('<h2 id="f(byte[])">Use</h2>', { headings: true }).headings![0]!.anchor).toBe('f(byte%5B%5D)');
});

it.each(['<p>See <a href="#x">above</a></p>', '<p>In <a href="/c#music">C#</a></p>', '<td class="gutter">Sea'])(
  'keeps what only looks like that: %s',
  (html) => {
    expect(textOf(html, { headings: true })).toBe(textOf(html, {}) ?? html.replace(/<[^>]*>/g, ''));
  },
);

it('keeps a whole page in which no main content is found', () => {
  expect(textOf('<p>Short</p><div>Also</div>', { main: true })).toBe('Short\nAlso');
});

it('writes Markdown', () => {
  const html = `<h2>List</h2><ul><li>one<ul><li>inner</li></ul></li><li>two <code>x*y</code></li></ul>
    <ol start=3><li>three</li></ol><pre><code class="language-js">if (a) {\n  b;\n}</code></pre>
    <blockquote><p>said</p><p>again</p></blockquote><table><tr><th>A</th><th>B|C</th></tr><tr><td>1</td><td><b>2</b></td></tr></table>
    <p>See <a href="../c d">the page</a>, <em>not</em> <a href="javascript:x">this</a>, 2*3_4.</p>`;
  expect(read(html, { markdown: true }).markdown).toBe(
    [
      '## List',
      '- one\n  - inner\n- two `x*y`',
      '3. three',
      '```js\nif (a) {\n  b;\n}\n```',
      '> said\n>\n> again',
      '| A | B\\|C |\n| --- | --- |\n| 1 | **2** |',
      'See [the page](http://a/c%20d), *not* this, 2\\*3\\_4.',
    ].join('\n\n'),
  );
});

it.each([
  ['a paragraph that looks like a heading', '<p># not a heading</p>', '\\# not a heading'],
  [
    'links in code',
    '<pre>see <a href="/1">RFC [1]</a>\n<a href="/1">again</a> <a href="#2"><b>2</b></a> <a>none</a></pre><p>text</p>',
    '```\nsee RFC [1]\nagain 2 none\n```\n\n[RFC \\[1\\]](http://a/1), [2](http://a/b/#2)\n\ntext',
  ],
  ['a paragraph that looks like a fence', '<p>~~~</p><p>text</p>', '\\~~~\n\ntext'],
  [
    'a paragraph that looks like a list',
    '<p>1. not a list</p><p>- nor this</p><p>+ nor that</p>',
    '1\\. not a list\n\n\\- nor this\n\n\\+ nor that',
  ],
  ['a paragraph that looks like a quotation', '<p>&gt; said</p>', '\\> said'],
  ['what only begins like one', '<p>#1 of 2.5 -x</p>', '#1 of 2.5 -x'],
  ['a line break', '<p>one<br># two<br></p>', 'one\\\n\\# two'],
  ['several line breaks', '<div>one<br> <br>two<br/><br/><br/>three</div>', 'one\n\ntwo\n\nthree'],
  [
    'a line break in a heading and in a cell',
    '<h2>a<br>b</h2><table><tr><td>a<br>b<td>c</table>',
    '## a b\n\n| a b | c |\n| --- | --- |',
  ],
  [
    'the caption of a table',
    '<table><caption>Prices</caption><tr><td>a<td>b</table>',
    'Prices\n\n| a | b |\n| --- | --- |',
  ],
  [
    'code beside the numbers of its lines',
    '<table><tr><td class="gutter"><pre>1\n2\n</pre></td><td><pre>if a:\n  b()</pre></td></tr></table>',
    '```\nif a:\n  b()\n```',
  ],
  [
    'a page in the cells of a table',
    '<table><tr><td><a href="/">Home</a><td><h1>One</h1><p>two<p>2<table><tr><th>a<th><h4>b</h4><tr><td>1<td>2</table></table>',
    '[Home](http://a/)\n\n# One\n\ntwo\n\n2\n\n| a | b |\n| --- | --- |\n| 1 | 2 |',
  ],
])('writes Markdown of %s', (_, html, markdown) => {
  expect(read(html, { markdown: true }).markdown).toBe(markdown);
});

it('reads pages of 100,000 open elements or nested quotations', () => {
  for (const html of ['<div>'.repeat(100_000), '<b>x'.repeat(100_000), '<blockquote><ul><li>x'.repeat(30_000)]) {
    const { text, markdown } = read(html, { main: true, markdown: true, exclude: ['nav p'] });
    expect([text, markdown].every((one) => typeof one === 'string')).toBe(true);
  }
});

it('extracts the same text as the scanner when nothing is excluded', () => {
  const reader = createPageReader();
  const extractor = reader.findExtractor('text/html')!;
  const pieces =
    'a| |&amp;|<p>c</p>|<p>d|<tr>|<li>i|<b>b</b>|<div>e</div>|<div>|<br>|<script>x</script>|\u00a0|<td>f</td>|<!--c-->|é|<h1>g</h1>|\u00ad|\u200f|\u2060|\n|<pre>\nj\n\n  k <b>l\r\n</b></pre>';
  const piece = fc.constantFrom(...pieces.split('|'));
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (list) => {
      const html = list.join('');
      if (extractor.kind !== 'sync') return;
      const context = { url: 'http://a/', contentType: 'text/html; charset=utf-8', maxLinks: 9, maxTextLength: 999 };
      const scanned = extractor.extract(Buffer.from(html), 'text/html', context);
      expect(textOf(html, { headings: true })).toBe('text' in scanned ? scanned.text : undefined);
    }),
    { numRuns: 300 },
  );
});
