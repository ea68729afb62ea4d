/** The step `more`, in a real browser: lists that grow when one scrolls or clicks, and never without end. */
import { expect, it, onTestFinished } from 'vitest';
import { FakeSite } from '../support/fake-site.js';
import { describeUnless, noBrowser } from '../support/left-out.js';
import { renderingWorld } from './rendering-world.js';

const page = (script: string, body = ''): string =>
  `<title>List</title><ul id=list></ul>${body}<script type=module>
    let count = 0;
    const add = (number) => { for (let i = 0; i < number; i++) list.insertAdjacentHTML('beforeend', '<li style="height:400px">Entry ' + ++count + '</li>'); };
    let pending;
    const load = () => pending ??= fetch('/data').then(() => { pending = undefined; add(5); });
    add(5);
    ${script}</script>`;

const ON_SCROLL = (most: number, target = 'window') =>
  `${target}.addEventListener('scroll', () => { if (count < ${most}) load(); });`;

/** Renders the page, and returns how many entries its text has, and what was requested. */
async function read(html: string, renderer = 'steps="more"') {
  const site = await FakeSite.start();
  site.set('/', { headers: { 'content-type': 'text/html; charset=utf-8' }, body: html }).set('/data', { body: '[]' });
  const world = await renderingWorld({
    attributes: 'render="always"',
    crawler: `<Root url="${site.url('/')}"/>`,
    renderer,
  });
  onTestFinished(async () => {
    await world.close();
    await site.close();
  });
  await world.untilIdle();
  const { text } = world.pushed().get(site.url('/'))!;
  return { entries: text.match(/Entry \d+/g)?.length ?? 0, fetched: site.fetched };
}

describeUnless(noBrowser, 'a list', () => {
  it('that grows on scrolling is read to its end, also within an element', async () => {
    expect((await read(page(ON_SCROLL(23)))).entries).toBe(25);
    const inner = page(`list.style = 'height:600px;overflow-y:auto'; ${ON_SCROLL(18, 'list')}`);
    expect((await read(inner)).entries).toBe(20);
  });

  it.each(['Load more', 'Mehr anzeigen', 'Показать ещё', '更多'])(
    'with a button "%s" is read to its end',
    async (word) => {
      const script = `const button = document.querySelector('button');
      button.onclick = async () => { await load(); if (count >= 20) button.remove(); };`;
      expect((await read(page(script, `<button>${word}</button>`))).entries).toBe(20);
    },
  );

  it('without an end is read ten times, or as often as the configuration says', async () => {
    const endless = page(ON_SCROLL(100_000));
    const ten = (await read(endless)).entries;
    expect(ten).toBeGreaterThan(20);
    expect(ten).toBeLessThan(300);
    expect((await read(endless, 'steps="more 2"')).entries).toBeLessThan(ten);
    expect((await read(endless, '')).entries).toBe(5);
  });

  it('has no form sent and no link followed for it', async () => {
    const body =
      '<form action="/order" method=post><button>Order more</button></form><a href="/more">more</a><button disabled>more</button><button>Delete all</button>';
    const script = `for (const button of document.querySelectorAll('button')) button.addEventListener('click', () => fetch('/clicked'));`;
    const { fetched } = await read(page(script, body));
    expect(fetched).not.toContain('/clicked');
    expect(fetched).not.toContain('/order');
  });
});
