import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keepMainContent } from './main-content.js';
import { extractReadableText } from './readable.js';
import { parseTree } from './tree.js';

const SENTENCES =
  'The council decided on Tuesday to extend the pension scheme to all employees of the city, part-time or not, which will cost ' +
  'about four million a year. Members of the opposition, who had asked for more time, voted against it, but did not say why.';
const paragraphs = (count: number, word = 'anvils'): string =>
  Array.from({ length: count }, (_, index) => `<p>${index} ${word}. ${SENTENCES}</p>`).join('');
const NAVIGATION =
  '<div class="links"><ul><li><a href="/1">Products and prices</a><li><a href="/2">Departments</a></ul></div>';
const COMMENTS = `<div id="comments"><ol>${'<li>'.repeat(1)}${Array.from({ length: 20 }, () => `<li><p>remark: ${SENTENCES}</p></li>`).join('')}</ol></div>`;

function readMain(html: string, body = '<body>'): string {
  const { root } = parseTree(Buffer.from(`<html>${body}${html}</body></html>`), false);
  keepMainContent(root);
  return extractReadableText(root).text;
}

const count = (text: string, word: string): number => text.split(word).length - 1;

describe('all of the content is kept', () => {
  it.each([
    ['in a form around the page', `<form id="aspnetForm"><input type="hidden">${paragraphs(4)}</form>`, 4],
    ['in a wrapper that is named after the sidebar', `<div class="site right-sidebar">${paragraphs(4)}</div>`, 4],
    ['in a wrapper that is named after the menu', `<div class="menu-wrap">${NAVIGATION}${paragraphs(4)}</div>`, 4],
    ['in a wrapper with share buttons', `<div class="has-share-btns-on-top">${paragraphs(4)}</div>`, 4],
    [
      'in text with line breaks',
      `<div>${Array(8).fill(`anvils. ${SENTENCES}`).join('<br><br>')}</div><p>${SENTENCES}</p>`,
      8,
    ],
    ['directly in a section', `<section>anvils. ${SENTENCES} ${SENTENCES}</section>${NAVIGATION}`, 1],
    [
      'in sections',
      `<div>${['a', 'b', 'c'].map((id) => `<div id=${id}><h2>${id}</h2>${paragraphs(id === 'b' ? 9 : 1)}</div>`).join('')}</div>`,
      11,
    ],
    ['in several articles', `<main>${`<article>${paragraphs(2)}</article>`.repeat(3)}</main>`, 6],
    [
      'in nested modules',
      `<div class=module><div class=module>${paragraphs(2)}</div><div class=module>${paragraphs(3)}</div></div>`,
      5,
    ],
    [
      'with boxes',
      `<main>${paragraphs(3)}<aside class="admonition">Note: anvils are heavy, so lift them with your knees.</aside></main>`,
      4,
    ],
    ['with tables', `<main>${paragraphs(3)}<table><tr><td>anvils</td><td>3</td></tr></table></main>`, 4],
    [
      'with an introduction outside',
      `<article><h1>T</h1><div><p>anvils first. ${SENTENCES}</p></div><div><div>${paragraphs(4)}</div></div></article>`,
      5,
    ],
    [
      'in sections that are named after what they are about',
      `<div>${['Anvils', 'Cookies', 'Menus', '4.2 Related tools', 'Care'].map((title) => `<section id="${title.replace('4.2 ', '').replace(' ', '-').toLowerCase()}"><h2>${title}<a href="#x">¶</a></h2>${paragraphs(2)}</section>`).join('')}</div>`,
      10,
    ],
    [
      'in the description of a class and those of its methods, with links to types',
      `<main><h1>C</h1><section class="a"><dl><dt>Since<dd>1.1</dl><div>${paragraphs(9)}</div></section><section class="b"><ul>${Array(
        3,
      )
        .fill(
          `<li><section>${paragraphs(2)}<dl><dt>Returns${'<dd><a href="/t">The pension scheme of all employees of the city, part-time or not</a>'.repeat(3)}</dl></section>`,
        )
        .join('')}</ul></section></main>`,
      15,
    ],
    ['with comments in code', `<main>${paragraphs(3)}<pre><span class="comment">// anvils</span></pre></main>`, 4],
    ['with a class in camel case', `<div class="contentWithSidebar">${paragraphs(4)}</div>`, 4],
    ['with headings in order', `<main><h2>anvils</h2>${paragraphs(1)}<h2>anvils</h2>${paragraphs(1)}</main>`, 4],
    [
      'with the headings and short paragraphs of sections beside each other',
      `<div><h2>anvils</h2><div>${paragraphs(2)}</div><h3>anvils</h3><p>Heavy anvils.</p><div>${paragraphs(2)}</div></div>`,
      7,
    ],
    [
      'with the heading of a first section that is long',
      `<div><h1>T</h1><div><h2>anvils</h2>${paragraphs(9)}</div><div><i>x</i><div>${paragraphs(60)}</div></div></div>`,
      70,
    ],
    [
      'shown one section at a time by a script',
      `<div><div>${paragraphs(1)}</div>${`<div style="display:none">${paragraphs(2)}</div>`.repeat(4)}</div>`,
      9,
    ],
    [
      'behind a page inside the page',
      `<div>${paragraphs(1)}<html><body>${paragraphs(1)}</body></html>${paragraphs(2)}</div>`,
      4,
    ],
    ['with the classes of word processors', `<div class="MsoHeader">${paragraphs(3)}</div>`, 3],
    ['with classes that contain other words', `<div class="gdprx-legends-legal">${paragraphs(3)}</div>`, 3],
  ])('%s', (_, html, times) => {
    const text = readMain(html);
    expect(count(text, 'anvils')).toBe(times);
    expect(text).not.toContain('Departments');
  });
});

describe('parts of the content that look like something else are kept', () => {
  it.each([
    ['a heading whose class says what is beside it', '<h2 class="anchor anchorWithStickyNavbar_L">Kept</h2>'],
    ['a heading whose id is its words', '<h2 id="login">Kept login</h2>'],
    ['a heading with a link for editing', '<div><h3>Kept</h3><span>[<a href="/e">edit source</a>]</span></div>'],
    ['a signature with links to types', '<div>Kept <a href="/t">Map</a> f(<a href="/s">String</a> name)</div>'],
    ['the name of a term', '<dl><dt id="term-menu">Kept</dt><dd>The topics of a hub</dd></dl>'],
    [
      'a function with the name of something else',
      ['open', 'subscribe', 'close', 'flush']
        .map((name) => `<section class="detail" id="hub.${name}(int)"><h3>${name}</h3><p>Kept</p></section>`)
        .join(''),
      4,
    ],
    [
      'code under a link to it',
      '<dl class="code"><dt><a href="/c">print.sh</a></dt><dd><pre>Kept -P hall</pre></dd></dl>',
    ],
    ['a table of names', '<div><table><tr><th>Hall<th>Name</tr><tr><td>3<td><a href="/h">Kept</a></tr></table></div>'],
    ['a cell with a paragraph that is a link', '<table><tr><th>Name<td><p><a href="/h">Kept</a></p></table>'],
    [
      'a list of subjects',
      '<h3>Threats</h3><ul><li><a href="/g">Kept</a><li><a href="/r">Rats</a><li><a href="/f">Floods</a></ul>',
    ],
    ['a tab', '<div><div role="tabpanel">npm i</div><div role="tabpanel" hidden>Kept</div></div>'],
    ['what is folded up', '<div class="expand-content" style="display: none">Kept</div>'],
    [
      'a formula',
      '<p>The energy is <span class="mathml-inline" style="display:none"><math><mi>Kept</mi></math></span>.</p>',
    ],
  ])('%s', (_, html, times = 1) => {
    const text = readMain(`<main>${paragraphs(3)}${html}${paragraphs(1)}</main>`);
    expect(count(text, 'Kept')).toBe(times);
  });

  it.each([
    ['other stories', '<h3>Read more</h3><ul><li><a href="/a">Council votes on the pension scheme, left out</a></ul>'],
    ['links for editing', '<h2>Sites<span class="mw-editsection">[<a href="/e">left out</a>]</span></h2>'],
  ])('but not %s', (_, html) => {
    const text = readMain(`<main>${paragraphs(3)}${html}${paragraphs(1)}</main>`);
    expect(text).not.toContain('left out');
  });
});

it('looks beyond what is marked as the content if that has only comments', () => {
  const text = readMain(`<div>${paragraphs(3)}</div><div role="main"><p>remark</p>${COMMENTS}</div>`);
  expect(count(text, 'anvils')).toBe(3);
  expect(text).not.toContain('remark');
});

describe('pages that are no article', () => {
  const thread = `<h1>T</h1><ul class="replies">${`<li class="comment"><p>anvils ${SENTENCES}</p></li>`.repeat(5)}</ul>`;
  const post = `<div><p>${SENTENCES} ${SENTENCES} ${SENTENCES}</p></div>`;
  it.each([
    [
      'a thread, by its JSON-LD',
      `<script type="application/ld+json">{"@type":"DiscussionForumPosting"}</script>${post}${thread}`,
      5,
    ],
    ['a question, by its microdata', `<div itemscope itemtype="https://schema.org/QAPage">${post}${thread}</div>`, 5],
    [
      'a list of links with an introduction',
      `<main><p>All of them, in one place, every day.</p><ul>${'<li><a href=/1>anvils of the city</a>'.repeat(90)}</ul></main>`,
      90,
    ],
    [
      'a grid of products beside the one with a description',
      `<main><div class=first><p>${SENTENCES} ${SENTENCES}</p></div>${'<div><a href=/1>anvils</a> <i>12.50</i></div>'.repeat(400)}</main>`,
      400,
    ],
  ])('%s', (_, html, times) => {
    const text = readMain(`${NAVIGATION}${html}`);
    expect(count(text, 'anvils')).toBe(times);
  });

  it('a thread, by the program that made it', () =>
    expect(count(readMain(post + thread, '<body data-template="thread_view">'), 'anvils')).toBe(5));

  it('comments below an article stay out', () => expect(count(readMain(post + thread), 'anvils')).toBe(0));
});

describe('what is not content is left out', () => {
  it.each([
    ['comments, though there is more of them', `<div class=post>${paragraphs(3)}</div>${COMMENTS}`],
    [
      'a dialog about cookies, though it is long',
      `<div>${paragraphs(3)}</div><div class="cookie-box">${paragraphs(9, 'remark')}</div>`,
    ],
    [
      'related links inside the content',
      `<div>${paragraphs(3)}<div><a href=/1>remark one</a> <a href=/2>remark two</a></div></div>`,
    ],
    ['a link to read on', `<div>${paragraphs(3)}<p>More: <a href=/1>a remark of the city about it</a></p></div>`],
    [
      'the heading of related links',
      `<main>${paragraphs(3)}<h2>remark</h2><ul><li><a href=/1>About it</a></ul></main>`,
    ],
    [
      'sections whose headings are their names',
      `<div>${paragraphs(3)}</div>${['Comments', 'Newsletter', 'Related'].map((title) => `<section id="${title.toLowerCase()}"><h2>${title}</h2><p>remark ${SENTENCES}</p></section>`).join('')}`,
    ],
    ['a box beside the article', `<article>${paragraphs(3)}</article><aside>remark ${SENTENCES}</aside>`],
    [
      'what is hidden',
      `<main>${paragraphs(3)}<p hidden>remark ${SENTENCES}</p><p style="display:none">remark</p></main>`,
    ],
    [
      'the credit of a photo',
      `<main>${paragraphs(3)}<figure><img src=x><figcaption>remark © Photo Agency</figcaption></figure></main>`,
    ],
    [
      'the credit of a photo in a block',
      `<main>${paragraphs(3)}<div class="caption-full">remark (AP Photo)</div></main>`,
    ],
    ['a copyright notice', `<main>${paragraphs(3)}<p>Copyright @ 2019 remark of the city.</p></main>`],
    ['author and date', `<main><div class="byline">remark, 3 May</div>${paragraphs(3)}</main>`],
  ])('%s', (_, html) => {
    const text = readMain(`${NAVIGATION}${html}`);
    expect(count(text, 'anvils')).toBe(3);
    expect(text).not.toMatch(/remark|Departments/);
  });
});

it('keeps a caption once, which is repeated where the picture can be enlarged', () => {
  const caption = '<div class=caption>Two of the anvils</div>';
  expect(count(readMain(`<main>${paragraphs(3, 'hammers')}${caption.repeat(2)}</main>`), 'anvils')).toBe(1);
});

it('keeps the introduction that the page is described with, wherever it stands before the content', () => {
  const summary = 'Anvils become more expensive, because the city needs many of them';
  const page = (description: string): string => {
    const { root } = parseTree(
      Buffer.from(
        `<head><meta name="description" content="${description}"></head><body><header><div><h1>Prices</h1></div><p>${summary}.</p>` +
          `</header><div>${NAVIGATION}</div><section><div>${paragraphs(3)}</div></section>${COMMENTS}</body>`,
      ),
      false,
    );
    keepMainContent(root);
    return extractReadableText(root).text;
  };
  expect(page(`${summary.toUpperCase()}, and …`)).toMatch(/^Anvils become more expensive.*\n0 anvils/);
  expect(page('All about the city and its prices, every week since 1923')).toMatch(/^0 anvils/);
});

it('says how much of the text is kept', () => {
  const { root } = parseTree(Buffer.from(`<div>${paragraphs(1)}</div>${COMMENTS}`), false);
  expect(keepMainContent(root).keptShare).toBeCloseTo(1 / 21, 1);
});

it('keeps something of each page that has text, and all of a short one', () => {
  const piece = fc.constantFrom(
    ...[
      '<form>',
      '</form>',
      '<div class="comments">',
      '<div class=sidebar>',
      '<nav>',
      '</nav>',
      '</div>',
      '<aside>',
      '<main>',
    ],
    ...[
      '<article>',
      '</article>',
      '<ul><li>',
      '<a href=x>',
      '</a>',
      '<p>',
      '<table><tr><td>',
      '<h1>',
      '<footer>',
      '<div hidden>',
    ],
    ...[SENTENCES, 'word ', 'a, b, c, '],
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const html = pieces.join('');
      const whole = extractReadableText(parseTree(Buffer.from(html), false).root).text;
      expect(readMain(html) === '').toBe(whole === '');
    }),
    { numRuns: 500 },
  );
});
