/** Pages designed to be slow. A step whose time is quadratic in the page's size would take hours instead of seconds. */
import { describe, expect, it } from 'vitest';
import { HtmlScanner } from './html-scanner.js';
import { TextBuffer } from './text-buffer.js';

const MIB = 1024 * 1024;
const buffer = new TextBuffer();

function scan(html: string | Buffer) {
  const bytes = typeof html === 'string' ? Buffer.from(html) : html;
  const { facts, title } = new HtmlScanner(bytes, buffer, { maxLinks: 100_000, xml: false }).scan();
  const { text } = buffer.finish(1_000_000);
  return { links: facts.links.length, cutLinks: facts.cutLinks?.count, metas: facts.metas.length, title, text };
}

const filled = (size: number, pattern: string) => Buffer.alloc(size, pattern);

describe('is read to the end', () => {
  it.each<[string, string]>([
    ['less-than signs', '<'],
    ['ampersands', '&'],
    ['quotes', '"'],
    ['opened comments', '<!--'],
    ['almost closed comments', '<!-- --!'],
    ['opened CDATA sections', '<svg><![CDATA['],
    ['opened tags', '<a '],
    ['opened end tags', '</a'],
    ['opened attributes', '<a href="'],
    ['opened scripts', '<script><!--<script>'],
    ['opened titles', '<title>'],
    ['opened text fields', '<textarea>&#'],
    ['opened styles', '<style></styl'],
    ['references to nothing', '&CounterClockwiseContourIntegra'],
    ['references of digits', '&#1'],
    ['drawings', '<svg>'],
    ['drawings with pages inside', '<svg><foreignObject>'],
    ['end tags of drawings', '<svg></math>'],
    ['templates', '<template>'],
    ['templates in drawings', '<svg><desc><template>'],
    ['template end tags', '<template><svg></template>'],
    ['anything with an equals sign', '<p = = ='],
    ['attributes', ' a=b'],
  ])('1 MiB of %s', (_name, pattern) => {
    expect(() => scan(filled(MIB, pattern))).not.toThrow();
  });

  it('a page of links to 100,001 URLs, of which 100,000 are kept', () => {
    const links = Array.from({ length: 100_001 }, (_, n) => `<a href="/some/page?x=${n}">x</a>`);
    expect(scan(links.join(''))).toMatchObject({ links: 100_000, cutLinks: 1 });
  });

  it('a page 100,000 elements deep', () => {
    const depth = 100_000;
    expect(scan(`${'<div><b>'.repeat(depth)}<a href=1>deep</a>${'</b></div>'.repeat(depth)}`)).toMatchObject({
      links: 1,
      text: 'deep',
    });
  });

  it('a page of 100,000 nested SVGs, closed by the wrong names first', () => {
    const depth = 100_000;
    expect(
      scan(`${'<svg>'.repeat(depth)}${'</math>'.repeat(depth)}${'</svg>'.repeat(depth)}<title>t</title>`).title,
    ).toBe('t');
  });

  it('10 MiB of less-than signs, which are all text', () => {
    expect(scan(filled(10 * MIB, '<')).text.slice(0, 5)).toBe('<<<<<');
  });

  it('an unterminated comment of 5 MiB', () => {
    expect(scan(Buffer.concat([Buffer.from('<a href=1>before</a><!--'), filled(5 * MIB, '- ->')]))).toMatchObject({
      links: 1,
      text: 'before',
    });
  });

  it('an attribute of 1 MiB, and a number of a million digits', () => {
    expect(scan(`<a title="${'x'.repeat(MIB)}" href=1>&#${'0'.repeat(MIB)}65;`)).toMatchObject({ links: 1, text: 'A' });
  });

  it('a meta, a title and a tag name of 1 MiB each', () => {
    const long = 'x'.repeat(MIB);
    const page = scan(`<${long}><meta name=a content="${long}"><title>${long}</title><a href=1>`);
    expect(page).toMatchObject({ links: 1, metas: 0 });
    expect(page.title).toHaveLength(2_048);
  });
});
