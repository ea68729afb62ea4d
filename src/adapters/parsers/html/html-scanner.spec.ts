import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTree } from '../content/tree.js';
import { HtmlScanner } from './html-scanner.js';
import { TextBuffer } from './text-buffer.js';

const buffer = new TextBuffer();

function scan(html: string, { maxLinks = 1000, xml = false, maxTextLength = 10_000 } = {}) {
  const { facts, title, heading } = new HtmlScanner(Buffer.from(html), buffer, { maxLinks, xml }).scan();
  const { links, cutLinks } = facts;
  return { ...facts, links, cutLinks, title, heading, text: buffer.finish(maxTextLength).text };
}

const links = (html: string) => scan(html).links.map(({ kind, href }) => `${kind} ${href}`);

describe('links', () => {
  it('are found in a, area, frame and iframe, by href or src as each has it', () => {
    expect(
      links('<a href=1>x</a><map><area href=2></map><frameset><frame src=3></frameset><iframe src=4 href=5></iframe>'),
    ).toEqual(['a 1', 'area 2', 'frame 3', 'iframe 4', 'iframe 5']);
  });

  it('are found in link elements, one for each relation', () => {
    expect(
      links(
        '<link rel=next href=1><link rel="PREV x" href=2><link rel=previous href=3><link rel="alternate canonical" href=4>' +
          '<link rel=icon href=5><link href=6><link rel=canonical>',
      ),
    ).toEqual(['next 1', 'prev 2', 'prev 3', 'alternate 4', 'canonical 4']);
  });

  it('are found in embed and object, unless these show pictures, sounds or programs', () => {
    expect(
      links(
        '<embed src=a.pdf type=application/pdf><object data=b.pdf><a href=b.pdf>b</a></object><object data="c.docx"></object>' +
          '<embed src=d.swf type=application/x-shockwave-flash><object type="image/svg+xml" data=e.svg></object>' +
          '<object classid=x></object><embed src="">',
      ),
    ).toEqual(['embed a.pdf', 'embed b.pdf', 'a b.pdf', 'embed c.docx']);
  });

  it.each([
    ['in the head', '<html><head><title>a</title><link rel=canonical href=x></head><body>b'],
    ['without a head tag', '<!doctype html>\n<title>a</title>\n<link rel=canonical href=x>\n<p>b'],
    ['after the end tag of the head', '<head></head><link rel=canonical href=x><body>b'],
    [
      'after an image for visitors without scripts',
      '<head><noscript><img src=p></noscript><link rel=canonical href=x>',
    ],
    ['after scripts and styles', '<script>if (a<b) c()</script><style>p>a{}</style><link rel=canonical href=x>'],
    ['after a template', '<template><p>a</p></template><link rel=canonical href=x>'],
  ])('include a canonical link: %s', (_, page) => expect(links(page)).toEqual(['canonical x']));

  it.each([
    ['in the body', '<head><title>a</title></head><body><p>b</p><link rel=canonical href=x></body>'],
    ['after text', '<title>a</title>b<link rel=canonical href=x>'],
    ['after an element of the body', '<head><div></div><link rel=canonical href=x></head>'],
    ['after an unknown element', '<head><x-y></x-y><link rel=canonical href=x></head>'],
    ['in a second head', '<body><p>a<head><link rel=canonical href=x></head>'],
  ])('do not include a canonical link %s', (_, page) => expect(links(page)).toEqual([]));

  it('do not include alternate style sheets', () => {
    expect(links('<link rel="alternate stylesheet" href=1.css>')).toEqual([]);
  });

  it('are found in meta refresh', () => {
    expect(links('<meta http-equiv=Refresh content="0; URL=\'/new\'"><meta http-equiv=refresh content=30>')).toEqual([
      'meta-refresh /new',
    ]);
  });

  it('are trimmed, and keep inner white space', () => {
    expect(links('<a href="\n /a b\t">x</a>')).toEqual(['a /a b']);
  });

  it.each(['nofollow', 'external NoFollow', 'ugc', 'sponsored me'])('are not to be followed when rel is %s', (rel) => {
    expect(scan(`<a href=1 rel="${rel}">x</a>`).links).toEqual([{ href: '1', kind: 'a', nofollow: true }]);
  });

  it('are to be followed when rel only resembles nofollow', () => {
    expect(scan('<a href=1 rel="nofollowed">x</a><a href=2>x</a>').links.map((link) => link.nofollow)).toEqual([
      false,
      false,
    ]);
  });

  it('inside of scripts, styles, comments, templates and text fields are ignored', () => {
    expect(
      links(
        '<script>"<a href=1>"</script><style><a href=2></style><!--<a href=3>--><template><a href=4></template><textarea><a href=5></textarea>',
      ),
    ).toEqual([]);
  });

  it('inside of noframes are found: a page of frames has no others for a crawler', () => {
    const page = scan('<frameset><frame src=1><noframes>unseen <a href=2>x</a></noframes></frameset>');
    expect(page.links.map(({ href }) => href)).toEqual(['1', '2']);
    expect(page.text).toBe('');
  });

  it('inside of noscript and of shadow roots are found', () => {
    expect(links('<noscript><a href=1></a></noscript><template shadowrootmode=open><a href=2></a></template>')).toEqual(
      ['a 1', 'a 2'],
    );
  });

  it('beyond the limit are left out, which is reported', () => {
    const page = scan('<a href=1><a href=2><a href=3>', { maxLinks: 2 });
    expect(page.links.map((link) => link.href)).toEqual(['1', '2']);
    expect(page.cutLinks).toMatchObject({ count: 1, samples: [{ href: '3' }] });
    expect(scan('<a href=1><a href=2>', { maxLinks: 2 }).cutLinks).toBeUndefined();
  });

  it('of more than 64 KiB are left out', () => {
    const page = scan(`<a href="${'x'.repeat(65_537)}"><a href=2>`);
    expect(page.links.map((link) => link.href)).toEqual(['2']);
  });
});

describe('metas', () => {
  it('have names in lower case and values with folded white space, Open Graph ones too', () => {
    expect(scan('<meta name=Author content=" Ann\n Lee "><meta property="og:title" content=T>').metas).toEqual([
      { name: 'author', value: 'Ann Lee' },
      { name: 'og:title', value: 'T' },
    ]);
  });

  it('for robots are those named robots, and those of any name that contain only directives', () => {
    expect(
      scan(
        '<meta name=ROBOTS content="noindex, nofollow"><meta name=somebot content="NOARCHIVE,max-snippet:-1"><meta name=keywords content="index cards">',
      ).robotsMetas,
    ).toEqual([
      { agent: 'robots', directives: 'noindex, nofollow' },
      { agent: 'somebot', directives: 'NOARCHIVE,max-snippet:-1' },
    ]);
  });

  it('beyond the 500th are left out, except those for robots', () => {
    const page = scan(`${'<meta name=a content=b>'.repeat(501)}<meta name=robots content=noindex>`);
    expect(page.metas).toHaveLength(500);
    expect(page.robotsMetas).toEqual([{ agent: 'robots', directives: 'noindex' }]);
  });

  it('for robots are limited to 500', () => {
    expect(scan('<meta name=robots content=noindex>'.repeat(501)).robotsMetas).toHaveLength(500);
  });

  it('give the language of the content', () => {
    expect(scan('<html lang="de-AT"><meta http-equiv=Content-Language content="fr">')).toMatchObject({
      lang: 'de-AT',
      contentLanguage: 'fr',
    });
  });
});

describe('the title', () => {
  it('is the first non-empty one, with folded white space and decoded references', () => {
    expect(scan('<title> </title><title>\n A &amp;\n  <B> </title><title>C</title>').title).toBe('A & <B>');
  });

  it('is not that of an SVG', () => {
    expect(scan('<svg><title>icon</title></svg><title>page</title>').title).toBe('page');
  });

  it('is truncated at 2,048 characters', () => {
    expect(scan(`<title>${'x'.repeat(100_000)}</title>`).title).toBe('x'.repeat(2_048));
  });
});

describe('the text', () => {
  const text = (html: string) => scan(html).text;

  it('has one space for each run of white space of any kind, and none at the ends', () => {
    expect(text(' \n a \t\r\n b&nbsp;&#8203;\u3000\u2009 c&#32; ')).toBe('a b c');
  });

  it('has a line for each block, row and item, spaces between cells, and nothing at inline elements or comments', () => {
    expect(text('<p>one<p>two<td>three</td><td>four<br>five<li>six<custom-tag>seven')).toBe(
      'one\ntwo three four\nfive\nsix seven',
    );
    expect(text('<h2> a </h2>\n <ul><li> b\n c </li> <li><p>d</p></li></ul>\n<hr> e<br><br>f &#10;<div></div>')).toBe(
      'a\nb c\nd\ne\nf',
    );
    const table = '<table><tr><th>a</th> <th>b</th></tr>\n<tr><td>c</td><td> d</td></tr></table>';
    expect(text(`x${table}y`)).toBe('x\na b\nc d\ny');
    expect(scan('<h1>Two<br>lines</h1>').heading).toBe('Two lines');
    expect(text('o<b>n</b>e t<!-- x -->w<a href=1>o</a> <span>thr</span>ee<wbr>!')).toBe('one two three!');
  });

  it('has the lines of preformatted text', () => {
    expect(text('a\nb<pre>\nif (c)\r\n  <b>d</b>;\n\n&#10;e</pre>f\ng')).toBe('a b\nif (c)\nd;\ne\nf g');
  });

  it('excludes scripts, styles, titles, noscript, inert templates, frames and SVG styles', () => {
    expect(
      text(
        'a<title>t</title><script>s</script><style>s</style><noscript>Turn <b>it</b> on</noscript><template>t</template>' +
          '<iframe>i</iframe><noframes>n</noframes><svg><style>s</style><text>drawn</text></svg>z',
      ),
    ).toBe('a drawn z');
  });

  it('excludes titles of SVGs, wherever their elements end', () => {
    expect(text('a<svg><title>Created</title><text>drawn</text></svg>b')).toBe('a drawn b');
    expect(text('a<svg><title>Created <b>with</b></svg>b')).toBe('a b');
    expect(text('a<svg><title>Created <b>with</b> care</title><text>drawn</text></svg>b')).toBe('a drawn b');
    expect(text('a<svg><style>.b{}</svg>c<svg><script>d()<p>e</p><noscript>f<svg></svg>g</noscript>')).toBe('a c e');
    expect(text('a<svg><title/><text>drawn</text></svg>b<math><title>t</title></math>')).toBe('a drawn b t');
  });

  it('includes text fields, xmp, plaintext, CDATA in SVG and shadow roots', () => {
    expect(text('<textarea>a &lt; <b></textarea><xmp><i>&lt;</xmp><svg><![CDATA[<c>]]></svg>')).toBe(
      'a < <b> <i>&lt; <c>',
    );
    expect(text('<template shadowrootmode=open>shadow</template><plaintext>d <e> &amp;</plaintext>')).toBe(
      'shadow d <e> &amp;</plaintext>',
    );
  });

  it('has decoded references, and ampersands and less-than signs that are not markup', () => {
    expect(text('AT&T &lt;b&gt; &eacute;&#233;&#xE9; &notit; a < b <3 &bogus; x&')).toBe(
      'AT&T <b> ééé ¬it; a < b <3 &bogus; x&',
    );
  });

  it('has room for references that are shorter than their replacement', () => {
    const page = scan('&nGt;'.repeat(50_000), { maxTextLength: 200_000 });
    expect(page.text).toBe('\u226b\u20d2'.repeat(50_000));
  });
});

describe('XHTML', () => {
  it('has empty elements of any name', () => {
    const page = scan('<title/><script src="a.js"/><a href="1">x</a><![CDATA[<b>]]>', { xml: true });
    expect(page.links).toHaveLength(1);
    expect(page.text).toBe('x<b>');
  });

  it('served as HTML has none', () => {
    expect(links('<script src="a.js"/><a href="1">x</a>')).toEqual([]);
  });
});

describe('the first heading', () => {
  it.each([
    ['<h1>One <em>and</em> a\nhalf</h1><h1>Two</h1>', 'One and a half'],
    ['<h1><img alt=logo src=l></h1><p>a</p><h1>Two &amp; more</h1>', 'Two & more'],
    ['<noscript><h1>Hidden</h1></noscript><template><h1>Unused</h1></template><h1>Shown</h1>', 'Shown'],
    ['<p>before</p><h1>Open', ''],
    ['<h2>a</h2>', ''],
  ])('of %s is %j', (page, heading) => expect(scan(page).heading).toBe(heading));
});

describe('markers that exclude parts of a page', () => {
  const hasMarkers = (html: string, xml = false) =>
    new HtmlScanner(Buffer.from(html), buffer, { maxLinks: 1, xml }).scan().hasMarkers;

  it.each([
    '<!-- googleoff: all -->',
    '<!UdmComment>',
    '<?noindex?>',
    '</ noindex>',
    '<noindex>a',
    '<b id=a hidden data-nosnippet>',
    '<p DATA-NoSnippet=1>',
    '<a href=b data-elastic-exclude>',
    '<svg><g data-swiftype-index=false></svg>',
  ])('are noticed in %s', (html) => expect(hasMarkers(html)).toBe(true));

  it('are not looked for in texts, values and scripts', () => {
    expect(
      hasMarkers(
        '<!-- menu --><meta name=robots content=noindex><p data-x="data-nosnippet" class=data-nosnippet>noindex' +
          '<script>"<!-- noindex -->"</script><title><noindex></title>',
      ),
    ).toBe(false);
  });

  it('are noticed wherever the tree of a page without drawings has one', () => {
    const parts =
      '<!--noindex--> <noindex> </noindex> <p <b <a> <title> </title> <script> </script> <template> ' +
      '</template> <textarea> <noscript> </noscript> data-nosnippet data-swiftype-index=true = " > \' /> -->';
    const token = fc.constantFrom(...parts.split(' '));
    fc.assert(
      fc.property(fc.array(token, { maxLength: 12 }), fc.boolean(), (tokens, xml) => {
        const html = tokens.join(' ');
        if (parseTree(Buffer.from(html), xml).hasSigns) expect(hasMarkers(html, xml)).toBe(true);
      }),
      { numRuns: 3_000 },
    );
  });
});
