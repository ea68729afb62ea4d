/** A small application made by scripts: a shop whose server sends one empty page for every route. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FakeSite } from '../support/fake-site.js';

const PREACT = readFileSync(fileURLToPath(import.meta.resolve('preact')));

const SHELL = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop</title>
<link rel="stylesheet" href="/style.css"><script type="module" src="/app.js"></script></head>
<body><div id="root"></div><noscript>This shop needs JavaScript.</noscript></body></html>`;

const APP = `
import { h, render } from '/preact.js';
const link = (href, text) => h('li', null, h('a', { href }, text));
const show = (node) => render(node, document.getElementById('root'));
const path = location.pathname;
const load = (url) => fetch(url, { headers: { 'x-requested-with': 'shop' } }).then((answer) => answer.json());
class Stock extends HTMLElement {
  connectedCallback() { this.attachShadow({ mode: 'closed' }).innerHTML = '<p>Shadowstock ' + this.getAttribute('count') + ' pieces</p><a href="/product/9">hidden product</a>'; }
}
customElements.define('stock-count', Stock);
if (path.startsWith('/product/')) load('/api' + path).then(({ name, text }) => {
  document.title = name;
  document.head.insertAdjacentHTML('beforeend', '<meta name="description" content="All of ' + name + '">');
  show(h('main', null, h('h1', null, name), h('p', null, text), h('img', { src: '/huge.png' }), h('a', { href: '/' }, 'home')));
});
else if (path === '/more') show(h('main', null, h('button', { class: 'more', onClick: () => load('/api/product/7').then(({ text }) => { document.querySelector('#more').textContent = text; }) }, 'More'), h('p', { id: 'more' })));
else if (path === '/old') location.replace('/product/3');
else load('/api/products').then((list) => {
  show(h('main', null, h('h1', null, 'Catalogue'), h('ul', null, list.map(({ id, name }) => link('/product/' + id, name))), h('stock-count', { count: 42 }), h('iframe', { src: '/frame.html' })));
  history.pushState(null, '', '/catalogue');
  history.replaceState(null, '', '/');
});
`;

const json = (value: unknown) => ({ headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) });
const script = (body: string | Uint8Array) => ({
  headers: { 'content-type': 'text/javascript', 'cache-control': 'max-age=600' },
  body,
});
const html = (body: string) => ({ headers: { 'content-type': 'text/html; charset=utf-8' }, body });

export const textOf = (id: number): string =>
  `Productword${id} is made of oak and lasts for ${id} hundred years without a nail.`;

/** Products 1 to `count` are linked; 7 and 9 are there too. */
export function publishShop(site: FakeSite, count = 3): void {
  const ids = [...Array(count).keys()].map((index) => index + 1);
  site.set('/', html(SHELL)).set('/more', html(SHELL)).set('/old', html(SHELL)).set('/catalogue', html(SHELL));
  site.set('/preact.js', script(PREACT)).set('/app.js', script(APP));
  site.set('/frame.html', html('<p>Frameword inside.</p><a href="product/2">framed</a>'));
  site.set('/api/products', json(ids.map((id) => ({ id, name: `Product ${id}` }))));
  for (const id of new Set([...ids, 7, 9]))
    site
      .set(`/product/${id}`, html(SHELL))
      .set(`/api/product/${id}`, json({ name: `Product ${id}`, text: textOf(id) }));
}
