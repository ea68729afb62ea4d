/**
 * Compares the scanner with parse5, a complete implementation of the HTML standard: both must find the same links,
 * base, metas, title and language on deliberately nasty pages, on generated tag soup, and on real pages.
 * `CRAWLWAY_CORPUS` names a folder of HTML files, of which `CRAWLWAY_CORPUS_PAGES` are read (default: 500).
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { parse, type DefaultTreeAdapterTypes as Tree } from 'parse5';
import { describe, expect, it } from 'vitest';
import { HtmlScanner } from './html-scanner.js';
import { collapseWhitespace } from './page-facts.js';
import { TextBuffer } from './text-buffer.js';

interface Reading {
  readonly links: readonly string[];
  readonly base: string | undefined;
  readonly metas: readonly string[];
  readonly title: string;
  readonly lang: string | undefined;
  readonly words: string;
}

const buffer = new TextBuffer();
const MAX_LENGTH = 100_000_000;

function scanned(html: string): Reading {
  const { facts, title } = new HtmlScanner(Buffer.from(html), buffer, { maxLinks: MAX_LENGTH, xml: false }).scan();
  return {
    // The tree contains a link twice if the nesting around it had to be fixed, and in a different place if tables were
    // involved.
    links: unique(facts.links.filter((link) => 'a area iframe'.includes(link.kind)).map((link) => link.href)),
    base: facts.base,
    metas: facts.metas.map(({ name, value }) => `${name}=${value}`),
    title,
    lang: facts.lang,
    words: buffer.finish(MAX_LENGTH).text,
  };
}

const INLINE = new Set(
  'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd mark nobr q rb rp rt rtc ruby s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);
const UNSEEN = new Set('title script style noscript iframe noframes noembed'.split(' '));

/** Returns what the standard's tree contains. */
class Oracle {
  readonly links: string[] = [];
  readonly metas: string[] = [];
  base: string | undefined;
  lang: string | undefined;
  title = '';
  text = '';

  static read(html: string): Reading {
    const oracle = new Oracle();
    oracle.#walk(parse(html, { scriptingEnabled: false }), false);
    const { base, lang, metas, title } = oracle;
    const words = oracle.text.replace(/[\s\u200b\u0085\u0000-\u001f\u007f]+/g, ' ').trim();
    return { links: unique(oracle.links), base, metas, title, lang, words };
  }

  #walk(node: Tree.Node, unseen: boolean): void {
    if (node.nodeName === '#text') {
      if (!unseen) this.text += (node as Tree.TextNode).value;
      return;
    }
    const element = 'tagName' in node ? node : undefined;
    if (element) this.#element(element);
    const parts = element !== undefined && !INLINE.has(element.tagName);
    if (parts) this.text += ' ';
    const children = 'childNodes' in node ? node.childNodes : [];
    for (const child of children) this.#walk(child, unseen || (element !== undefined && UNSEEN.has(element.tagName)));
    if (parts) this.text += ' ';
  }

  #element(element: Tree.Element): void {
    const get = (name: string, prefix?: string) =>
      element.attrs.find((attribute) => attribute.name === name && (attribute.prefix || undefined) === prefix)?.value;
    const html = element.namespaceURI === 'http://www.w3.org/1999/xhtml';
    const addresses = element.tagName === 'iframe' ? [get('src'), get('href')] : [get('href') ?? get('href', 'xlink')];
    if (element.tagName === 'a' || (html && 'area iframe'.includes(element.tagName))) {
      this.links.push(...addresses.flatMap((address) => (address === undefined ? [] : trim(address))));
    }
    if (!html) return;
    const name = collapseWhitespace(get('name') ?? get('property') ?? '').toLowerCase();
    const content = get('content');
    if (element.tagName === 'meta' && name !== '' && content !== undefined)
      this.metas.push(`${name}=${collapseWhitespace(content)}`);
    if (element.tagName === 'base' && get('href') !== undefined) this.base ??= trim(get('href')!);
    if (element.tagName === 'html') this.lang ??= get('lang') ?? get('xml:lang');
    if (element.tagName === 'title') this.title ||= collapseWhitespace(textOf(element));
  }
}

const textOf = (element: Tree.Element) =>
  element.childNodes.map((child) => ('value' in child ? child.value : '')).join('');
const unique = (list: readonly string[]) => [...new Set(list)].sort();
const trim = (href: string) => href.replace(/^[\0- ]+|[\0- ]+$/g, '');

const NASTY: Record<string, string> = {
  'comments that end early': '<!--><a href=1>x</a><!---><a href=2>x</a><!----><a href=3>x</a><!-- --!><a href=4>x</a>',
  'comments that do not end': '<a href=1>x</a><!-- <a href=2>x</a> -- > ->',
  'comments with dashes': '<!-- - -- --- <a href=1> ---><a href=2>x</a><!--!><a href=3>--><!---!><a href=4>-->',
  'nested comment openers': '<!-- <!-- <a href=1> --> <a href=2>x</a> -->',
  'bogus comments': '<!x <a href=1><a href=2>x</a><?php echo ">" ?></3 <a href=3></><a href=4>x</a><!>',
  'a doctype with quotes': '<!DOCTYPE html PUBLIC "a>b"><a href=1>x</a>',
  'CDATA outside of SVG': '<![CDATA[ <a href=1>x</a> ]]><a href=2>x</a>',
  'CDATA inside SVG': '<svg><![CDATA[ <a href=1>x</a> ]]></svg><a href=2>x</a>',
  'a script with an escaped end tag': '<script><!-- <script> </script> <a href=1> --></script><a href=2>x</a>',
  'a script in a comment that ends': '<script><!-- </script><a href=1>x</a> --><a href=2>x</a>',
  'a script with a comment closed at once': '<script><!--><script></script><a href=1>x</a>',
  'a script with a half open comment': '<script><!-- <script </script><a href=1>--></script><a href=2>x</a>',
  'a script end tag with attributes': '<script>"<a href=1>"</script a=">"><a href=2>x</a>',
  'a script that has no end': '<a href=1>x</a><script><a href=2>x</a>',
  'end tags that only look like one':
    '<style></styles><a href=1></style ><a href=2>x</a><title>a</titl>b</title/><a href=3>',
  'upper case':
    '<A HREF=1>x</A><TITLE>T</title><META NAME=Robots CONTENT=NoIndex><BASE HREF=/b/><SCRIPT><a href=2></SCRIPT>',
  'unquoted values': '<a href=a/b/>x</a><a href=a"b>x</a><a href=a\'b=c>x</a><a href=/ >x</a><a href= x>x</a>',
  'quotes in odd places':
    '<a "href"=1 href=2>x</a><a title="a>b" href=3>x</a><a \'href=4>x</a><a href="5"href="6">x</a>',
  'equals signs in odd places': '<a =href=1>x</a><a href==2>x</a><a href = = 3>x</a><p ="><a href=4>"><a href=5>x</a>',
  'slashes in odd places': '<a/href=1>x</a><a / href=2/>x</a><p/=">"><a href=3>x</a><p a/="><a href=4>">',
  'missing values': '<a href>x</a><a href=>x</a><a href=""><a href=1 href=2>x</a><a HREF=3 href=4>x</a>',
  'line breaks in tags': '<a\n\thref\r\n=\f"1"\n>x</a><a\fhref=2>x</a>',
  'an unclosed quote': '<a href=1>x</a><a href="2>x</a><p title=">',
  'an unclosed tag': '<a href=1>x</a><a href=2',
  'a less-than sign in text': 'a < b <1 <a href=1>x</a> a<b href=2>c</b> <',
  'references in attributes': '<a href="?a=1&amp;b&lt=2&lt;&copy=3&copy;&copy4&#x41;&#65&notin;&notit;&amp">x</a>',
  'references of numbers':
    '<a href="&#0;&#128;&#x110000;&#xD800;&#00000000000000000000000000000000000000000000000065;&#x;&#;">x</a>',
  'references in text':
    'a &amp b &notit; &notin; &nGt; &#8364; &#x80; &bogus; & &; &# &#x &CounterClockwiseContourIntegral; &amp',
  'references in titles': '<title>a &amp; b &lt;c&gt; <b>d</b> &nbsp; &eacute &notit;</title>',
  'two titles': '<title> </title><title>a\n\t b</title><title>c</title>',
  'a title in SVG': '<svg><title>drawing</title></svg><title>page</title>',
  'style and script in SVG': '<svg><style><a href=1>x</a></style><script><a href=2>x</a></script></svg><a href=3>x</a>',
  'SVG links': '<svg><a href=1 xlink:href=3>x</a><a xlink:href=2 /></svg><a xlink:href=4>',
  'HTML inside SVG':
    '<svg><foreignObject><a href=1>x</a><style><a href=2></style></foreignObject><title>t</title></svg><title>u</title>',
  'HTML that ends SVG': '<svg><g><p><title>page</title><a href=1>x</a>',
  'font that ends SVG': '<svg><font color=red><title>page</title></font><svg><font><title>no page</title>',
  'SVG closed at once': '<svg/><title>page</title><svg><g/><style/><a href=1>x</a></svg>',
  'MathML with text':
    '<math><mi><title>page</title></mi><annotation-xml encoding=text/html><a href=1>x</a></annotation-xml></math>',
  'a slash that is part of a value': '<svg x=1/><title>no</title></svg><title>page</title>',
  'SVG that ends with an open description': '<svg><desc>x</svg><title>page</title>',
  'nested SVG': '<svg><svg></svg><title>no</title></svg><title>page</title>',
  templates: '<template><a href=1>x</a><template><base href=b></template><title>t</title></template><a href=2>x</a>',
  'SVG in a template': '<template><svg></template><title>page</title><a href=1>x</a>',
  'template end tags without template': '</template><a href=1>x</a>',
  'frames without frames': '<noembed><a href=2>x</a></noembed><a href=3>x</a>',
  'an iframe': '<iframe src=1 href=2><a href=3>x</a></iframe><a href=4>x</a>',
  'xmp and textarea': '<xmp><a href=1></xmp><textarea><a href=2></textarea><a href=3>x</a>',
  plaintext: '<a href=1>x</a><plaintext><a href=2>x</a></plaintext>',
  'noscript in the head': '<head><noscript><link rel=x><meta name=a content=b></noscript></head><a href=1>x</a>',
  'noscript in the body': '<body><noscript><a href=1>x</a></noscript><a href=2>x</a>',
  metas:
    '<meta name=" A\nb " content=" c\n\td "><meta content=x><meta name=x><meta property=og:title content=T><meta name content>',
  'two bases': '<base target=x><base href=" a "><base href=b>',
  languages: '<html lang=de><html lang=fr><body>',
  'misnested links': '<p><a href=1><b>x<p>y</a>z</b><a href=2>a<a href=3>b<div></a></div>',
  'links in tables': '<table><a href=1>x</a><tr><a href=2>x</a><td><a href=3>x</a></table>',
  'names that are almost known': '<aa href=1><ahref=2><a-b href=3><a: href=4><a\u00e9 href=5><\u00e1 href=6>',
  'invisible characters': '<a href="\u00a0x\u00a0">x</a><title>\u00a0a\u3000b\ufeff</title>',
};

describe('the scanner and the HTML standard agree', () => {
  it.each(Object.entries(NASTY))('on %s', (_name, html) => {
    const { words: _words, ...expected } = Oracle.read(html);
    const { words: _seen, ...actual } = scanned(html);
    expect(actual).toEqual(expected);
  });

  it('on generated tag soup', () => expectAgreementOn(fc.array(piece, { maxLength: 25 })));

  // An HTML end tag that closes an open SVG is a matter of tree construction; the scanner waits for a start tag.
  it('on generated SVG and MathML in a page', () => expectAgreementOn(fc.array(drawing, { maxLength: 8 })));

  const corpus = process.env['CRAWLWAY_CORPUS'];
  it.runIf(corpus !== undefined)('on real pages, to the last word', { timeout: 600_000 }, () => {
    const pages = readdirSync(corpus!, { recursive: true, encoding: 'utf8' }).filter((path) => /\.html?$/.test(path));
    const step = Math.max(1, Math.floor(pages.length / Number(process.env['CRAWLWAY_CORPUS_PAGES'] ?? 500)));
    for (const path of pages.filter((_, index) => index % step === 0)) {
      const html = readFileSync(join(corpus!, path), 'utf8').replace(/^\ufeff/, '');
      expect(scanned(html), path).toEqual(Oracle.read(html));
    }
  });
});

function expectAgreementOn(pages: fc.Arbitrary<readonly string[]>): void {
  fc.assert(
    fc.property(pages, (pieces) => {
      const html = pieces.join('');
      const { words: _words, ...expected } = Oracle.read(html);
      const { words: _seen, ...actual } = scanned(html);
      expect(actual).toEqual(expected);
    }),
    { numRuns: Number(process.env['CRAWLWAY_FUZZ_RUNS'] ?? 3_000) },
  );
}

const TAGS =
  'a a a a p div span b td table tr title base meta link script style textarea iframe template noscript xmp html body head h1';
const ATTRIBUTES = 'href href href src rel name content lang class property HREF x';
const VALUES = [
  '1',
  '/a/b?c=d&amp;e',
  '&lt',
  '&copy=1',
  'a&notit;b',
  '"',
  "'",
  '>',
  '<',
  '=',
  ' ',
  '',
  '--',
  'é€',
  '/',
  '&#65',
  '&#x1F600;',
];
const RAW = [
  '<!--',
  '-->',
  '--!>',
  '<!',
  '<?',
  '</',
  '<',
  '>',
  '"',
  "'",
  '=',
  '/',
  ' ',
  '\n',
  ']]>',
  '<![CDATA[',
  '&amp',
  '&',
  'text',
  '<!-->',
  '-',
  '<a',
  '<a href="',
];

const oneOf = (words: string) => fc.constantFrom(...words.split(' '));
const value = fc.array(fc.constantFrom(...VALUES), { maxLength: 3 }).map((parts) => parts.join(''));
const attribute = fc
  .tuple(oneOf(ATTRIBUTES), value, fc.constantFrom('="_"', "='_'", '=_', '', ' = "_"', '=" _', "='_ "))
  .map(([name, text, form]) => name + form.replace('_', () => text));
const startTag = fc
  .tuple(oneOf(TAGS), fc.array(attribute, { maxLength: 3 }), fc.constantFrom('>', '>', '>', '/>', ' >', ''))
  .map(([name, attributes, end]) => `<${[name, ...attributes].join(' ')}${end}`);
const endTag = fc
  .tuple(oneOf(TAGS), fc.constantFrom('>', '>', ' >', ' x>', ''))
  .map(([name, end]) => `</${name}${end}`);
const piece = fc.oneof(startTag, startTag, endTag, fc.constantFrom(...RAW));
const foreignTag = fc
  .tuple(
    oneOf('g path a a style script title desc foreignObject svg math mi annotation-xml p font'),
    fc.subarray(['href="1"', 'encoding="text/html"', 'color="red"', "lang='de'"]),
  )
  .chain(([name, attributes]) => {
    const open = `<${[name, ...attributes].join(' ')}`;
    return fc.constantFrom(
      `${open}/>`,
      `${open}>text</${name}>`,
      `${open}><title>t</title><![CDATA[<a href=1>]]></${name}>`,
    );
  });
const drawing = fc
  .tuple(
    oneOf('svg math'),
    fc.array(foreignTag, { maxLength: 5 }),
    fc.constantFrom('<p>', '<title>t</title>', '<a href=2>x</a>', '<style><a href=3></style>'),
  )
  .map(([name, inside, after]) => `<${name}>${inside.join('')}</${name}>${after}`);
