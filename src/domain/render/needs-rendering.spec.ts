import { describe, expect, it } from 'vitest';
import { crawlerDefinition } from '../../../test/support/crawler-definition.js';
import { seconds } from '../time/units.js';
import { isLoss, isWorthwhile, RenderLearning, toRenderPattern } from './learning.js';
import { findRenderingReason, type ScriptSigns } from './needs-rendering.js';
import { usesRendering } from './renders.js';
import { parseSteps } from './steps.js';

const signs = (parts: Partial<ScriptSigns>): ScriptSigns => ({
  textBytes: 0,
  links: 0,
  frames: false,
  externalScripts: 0,
  inlineScriptBytes: 0,
  bundled: false,
  asksForScripts: false,
  navigates: false,
  ...parts,
});

describe('a page without its content', () => {
  const script = { externalScripts: 1 };
  const root = { ...script, emptyRoot: 'div#root', textBytes: 500 };
  const template = { ...script, template: 'v-for', textBytes: 500, links: 99 };
  const asking = { ...script, asksForScripts: true, textBytes: 300 };
  const filled = { ...script, root: 'div#app', textBytes: 60 };
  const bundle = { ...script, bundled: true, links: 1, textBytes: 60 };

  it.each([
    ['an empty root', root, 'fill the empty element div#root (500 bytes of text, 0 links, 1 script file)'],
    ['an empty root and an inline script', { ...root, externalScripts: 0, inlineScriptBytes: 1 }, '0 script files'],
    ['an empty root and too much text', { ...root, textBytes: 501 }, undefined],
    ['an empty root and three links', { ...root, links: 3 }, '3 links'],
    ['an empty root and four links', { ...root, links: 4 }, undefined],
    ['an empty root and no script', { ...root, externalScripts: 0 }, undefined],
    ['an empty root and frames', { ...root, frames: true }, undefined],
    ['a template', template, 'in place of v-for'],
    ['a note that asks for scripts', asking, 'turn on JavaScript'],
    ['such a note and more text', { ...asking, textBytes: 301 }, undefined],
    ['such a note and four links', { ...asking, links: 4 }, undefined],
    ['a root with a spinner', filled, 'fill the element div#app'],
    ['such a root and more text', { ...filled, textBytes: 61 }, undefined],
    ['such a root and four links', { ...filled, links: 4 }, undefined],
    ['links and a bundle', bundle, 'scripts of an application'],
    ['links and a bundle, and more text', { ...bundle, textBytes: 61 }, undefined],
    ['four links and a bundle', { ...bundle, links: 4 }, undefined],
    ['links and other scripts', { ...bundle, bundled: false }, undefined],
    ['a script that redirects', { inlineScriptBytes: 1, navigates: true }, 'redirects visitors'],
    ['a link and a script that redirects', { inlineScriptBytes: 1, navigates: true, links: 1 }, undefined],
    [
      'a short script that creates elements',
      { inlineScriptBytes: 1, creates: true, textBytes: 60 },
      'create the content',
    ],
    ['such a script and more text', { inlineScriptBytes: 1, creates: true, textBytes: 61 }, undefined],
    ['such a script and a link', { inlineScriptBytes: 1, creates: true, links: 1 }, undefined],
    ['nothing but a script file', script, 'scripts and no content'],
    ['nothing but an application', { inlineScriptBytes: 20_000 }, 'scripts and no content'],
    ['nothing but a short script', { inlineScriptBytes: 19_999 }, undefined],
    ['only a frame', { ownFrames: 1, links: 1, textBytes: 60 }, 'its content is in 1 frame'],
    ['a frame and more text', { ownFrames: 1, links: 1, textBytes: 61 }, undefined],
    ['a frame and a link', { ownFrames: 1, links: 2 }, undefined],
    ['nothing', {}, undefined],
  ])('has %s', (_, parts, expected) => {
    const reason = findRenderingReason(signs(parts));
    if (expected === undefined) expect(reason).toBeUndefined();
    else expect(reason).toContain(expected);
  });
});

describe('rendering', () => {
  const amount = (text: number, links = 10) => ({ text, links });

  it.each([
    ['a fifth and 80 characters more text', amount(100), amount(200), false],
    ['more than that', amount(100), amount(201), true],
    ['a tenth and one link more', amount(100, 10), amount(100, 12), false],
    ['more links than that', amount(100, 10), amount(100, 13), true],
    ['more links but less text', amount(100, 10), amount(99, 99), false],
  ])('was worthwhile for %s', (_, plain, rendered, expected) => expect(isWorthwhile(plain, rendered)).toBe(expected));

  it.each([
    ['half of the text', amount(100), amount(50), false],
    ['less than half', amount(100), amount(49), true],
    ['less than half, and fewer links', amount(100), amount(49, 9), true],
    ['less than half, but more links', amount(100), amount(49, 11), false],
  ])('was a loss with %s', (_, plain, rendered, expected) => expect(isLoss(plain, rendered)).toBe(expected));

  it.each([
    ['https://a.example/', '/'],
    ['https://a.example/x', '/*'],
    ['https://a.example/articles/intro', '/articles/*'],
    ['https://a.example/articles/', '/articles/*'],
  ])('of %s is learned for %s', (url, pattern) => expect(toRenderPattern(url)).toBe(pattern));

  const learn = (learning: RenderLearning, texts: readonly number[], host = 'a.example') => {
    for (const text of texts)
      learning.recordRendering(host, `https://${host}/x/y`, {
        time: seconds(1),
        requests: 0,
        ownRequests: 0,
        refused: {},
        plain: amount(100),
        rendered: amount(text),
      });
  };

  it('forgets what it learned slowly: a page weighs a fifth once many were seen', () => {
    const learning = new RenderLearning();
    const share = () => learning.listPatterns('a.example')[0]!.worthwhileShare;
    learn(learning, [900, 900]);
    expect(share()).toBe(1);
    learn(learning, [100]);
    expect(share()).toBeCloseTo(2 / 3);
    learn(learning, Array(20).fill(900));
    learn(learning, [100]);
    expect(share()).toBeCloseTo(0.8, 1);
  });

  it('is used as long as it was worthwhile for two in five pages', () => {
    const decide = (texts: readonly number[]) => {
      const learning = new RenderLearning();
      learn(learning, texts);
      return learning.decideRendering('a.example', 'https://a.example/x/z');
    };
    expect(decide([900, 900, 100, 100, 100])).toBe('render');
    expect(decide([900, 100, 100])).toBe('plain');
    expect(decide([900, 900])).toBe('try');
  });

  it('says what is known about a host, most rendered patterns first, with failures and times', () => {
    const learning = new RenderLearning();
    const report = { requests: 0, ownRequests: 0, refused: {}, plain: amount(100), rendered: amount(900) };
    learning.recordRendering('a.example', 'https://a.example/one/x', { ...report, time: seconds(1) });
    learning.recordRendering('a.example', 'https://a.example/two/x', { ...report, time: seconds(1) });
    learning.recordRendering('a.example', 'https://a.example/two/x', { ...report, time: seconds(3) });
    learning.recordRendering('a.example', 'https://a.example/two/x', {
      ...report,
      time: seconds(9),
      rendered: undefined,
      failure: 'render-timeout',
    });
    learning.recordRendering('b.example', 'https://b.example/x', { ...report, time: seconds(1) });
    expect(learning.listPatterns('a.example')).toMatchObject([
      { host: 'a.example', pattern: '/two/*', samples: 2, time: 2_000, failures: 1, worthwhileShare: 1 },
      { pattern: '/one/*', samples: 1, time: 1_000, failures: 0 },
    ]);
  });
});

it.each([
  ['click .more', [{ do: 'click', select: '.more' }]],
  ['click  a > b ;', [{ do: 'click', select: 'a > b' }]],
  [
    'scroll; wait; scroll 50',
    [
      { do: 'scroll', times: 1 },
      { do: 'wait', time: seconds(1) },
      { do: 'scroll', times: 50 },
    ],
  ],
  ['wait 0.5', [{ do: 'wait', time: seconds(0.5) }]],
  ['wait 30', [{ do: 'wait', time: seconds(30) }]],
  ['scroll;'.repeat(19), Array(19).fill({ do: 'scroll', times: 1 })],
  ['scroll;'.repeat(20), undefined],
  ['', undefined],
  [';', undefined],
  ['click', undefined],
  ['scroll 0', undefined],
  ['scroll 1.5', undefined],
  ['scroll 51', undefined],
  ['scroll down', undefined],
  ['wait 31', undefined],
  ['wait -1', undefined],
  ['jump', undefined],
  ['please scroll', undefined],
  ['clicked .x', undefined],
  ['scroll; jump', undefined],
])('the steps %j', (text, expected) => expect(parseSteps(text)).toEqual(expected));

describe('a configuration renders', () => {
  const place = { file: 'c.xml', line: 1, column: 1 };
  const condition = (renderMode: 'auto' | 'never' | undefined, children: readonly unknown[] = []) => ({
    kind: 'apply-for',
    test: {},
    log: false,
    options: { renderMode },
    children,
    place,
  });
  const conditions = (...rules: readonly unknown[]) => ({
    conditions: { defaultAllow: 'allow', options: {}, rules, place },
  });

  it.each([
    ['by its crawler', { render: 'auto' }, true],
    ['not at all', { render: 'never' }, false],
    ['by a condition', conditions(condition('never'), condition('auto')), true],
    ['by an inner condition', conditions(condition(undefined, [condition('auto')])), true],
    ['by no condition', conditions(condition('never', [condition(undefined)])), false],
    [
      'by the global options',
      { conditions: { defaultAllow: 'allow', options: { renderMode: 'always' }, rules: [], place } },
      true,
    ],
  ])('%s: %#', (_, parts, expected) => {
    const crawler = crawlerDefinition({ render: 'never', ...parts } as Parameters<typeof crawlerDefinition>[0]);
    expect(usesRendering({ crawlers: [crawlerDefinition({ render: 'never' }), crawler] })).toBe(expected);
  });
});
