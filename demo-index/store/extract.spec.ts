import { describe, expect, it } from 'vitest';
import { extractContent } from './extract.js';

const ofHtml = (html: string) =>
  extractContent({
    uri: 'http://a/',
    metas: [],
    stamp: '',
    master: { bytes: Buffer.from(html), mimeType: 'text/html' },
  } as never);

describe('the text of a page', () => {
  it.each([
    ['words and blocks', '<p>one<b>two</b></p>three<br>four', 'onetwo three four'],
    ['no soft hyphens', 'Dampf&shy;schiff\u00ADfahrt', 'Dampfschifffahrt'],
    ['character references', 'caf&eacute; &amp; &#x1F9A6;', 'café & 🦦'],
    [
      'no scripts, styles or lists of options',
      'a<script>if (1<2) b</script><style>c</style><select><option>d</select>e',
      'ae',
    ],
    [
      'no drawings, one inside the other or empty',
      'a<svg><svg><text>b</text></svg>c</svg><svg/>d<math><mi>e</math>',
      'ad',
    ],
    ['no comments, declarations and CDATA', '<!doctype html><!-- a -->b<svg><![CDATA[c]]></svg>', 'b'],
    ['closing tags that nothing opened', 'a</svg></select></p>b', 'a b'],
    ['an element that never ends', 'a<noscript>b<p>c', 'a'],
  ])('%s', (_, html, text) => {
    expect(ofHtml(html).text).toBe(text);
  });

  it('uses the first title of the page, not the title of an SVG', () => {
    const html = '<svg><title>drawing</title></svg><title>The &lt;b&gt; page</title><title>second</title> rest';
    expect(ofHtml(html)).toEqual({ title: 'The <b> page', text: 'second rest' });
  });

  it('is extracted in linear time, however deep the page is nested', () => {
    const depth = 200_000;
    expect(ofHtml(`${'<div>'.repeat(depth)}deep${'</b>'.repeat(depth)}${'</div>'.repeat(depth)}`).text).toBe('deep');
  });
});
