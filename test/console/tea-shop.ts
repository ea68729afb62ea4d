/** A shop whose pages are made by a script, for pictures. */
import { FakeSite } from '../support/fake-site.js';

const TEAS = [
  ['Darjeeling', 'First flush of a garden at 1,900 metres, light and flowery. Three minutes at 90 degrees.'],
  ['Assam', 'Strong and malty, from the banks of the Brahmaputra. Takes milk. Four minutes in boiling water.'],
  ['Sencha', 'Steamed green leaves of the second harvest, fresh as cut grass. One minute at 70 degrees.'],
  ['Lapsang', 'Dried above fires of pine wood, which one tastes. Four minutes in boiling water.'],
  ['Oolong', 'Half fermented, rolled by hand, good for five infusions. Half a minute each at 95 degrees.'],
  ['Pu-erh', 'Pressed in cakes and kept for eight years. Rinse it first, then two minutes in boiling water.'],
] as const;

const STYLE = `body{margin:0;font:18px/1.5 system-ui,sans-serif;background:#f6f3ea;color:#2b2a26}
header{background:#2f5d50;color:#fff;padding:24px 48px;font-size:28px}
main{padding:24px 48px;display:grid;gap:24px;grid-template-columns:repeat(3,1fr)}
article{background:#fff;border-radius:8px;padding:16px 24px}h1,h2{margin:0}a{color:#2f5d50}`;

const SHELL = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Tea shop</title><link rel="stylesheet" href="/style.css">
<script src="/shop.js" defer></script></head><body><div id="root"></div><noscript>This shop needs JavaScript.</noscript></body></html>`;

const SCRIPT = `
const root = document.getElementById('root');
const card = ({ id, name, text }) => '<article><h2><a href="/teas/' + id + '">' + name + '</a></h2><p>' + text + '</p></article>';
fetch('/api' + location.pathname).then((answer) => answer.json()).then((teas) => {
  if (teas.length === 1) document.title = teas[0].name + ' · Tea shop';
  root.innerHTML = '<header>Tea shop</header><main>' + teas.map(card).join('') + '</main>';
});`;

/** Addresses of all its pages. */
export const TEA_PAGES = ['/', ...TEAS.map((_, index) => `/teas/${index + 1}`)];

export async function startTeaShop(address: string): Promise<FakeSite> {
  const site = await FakeSite.start(address);
  const teas = TEAS.map(([name, text], index) => ({ id: index + 1, name, text }));
  const json = (value: unknown) => ({ headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) });
  for (const path of TEA_PAGES) site.set(path, { headers: { 'content-type': 'text/html' }, body: SHELL });
  site.set('/api/', json(teas));
  for (const tea of teas) site.set(`/api/teas/${tea.id}`, json([tea]));
  site.set('/style.css', { headers: { 'content-type': 'text/css' }, body: STYLE });
  return site.set('/shop.js', { headers: { 'content-type': 'text/javascript' }, body: SCRIPT });
}
