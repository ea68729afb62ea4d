/**
 * Scripts that run inside rendered pages. They are strings because the compiler would change code that is compiled for
 * Node.
 */

/**
 * Runs before every script of the page: counts changes to the document, records shadow roots and the routes that
 * scripts navigate to, and removes functions that are useless without a viewer.
 * @param name of the property that holds the records
 */
export const createInitScript = (name: string): string => `(() => {
  const later = window.setTimeout;
  const notes = { changes: 0, began: performance.now(), timers: new Set(), routes: new Set(), roots: [], later };
  Object.defineProperty(window, ${JSON.stringify(name)}, { value: notes });
  const quiet = (object, key, value) => { try { Object.defineProperty(object, key, { value, writable: true, configurable: true }); } catch {} };
  quiet(window, 'alert', () => undefined);
  quiet(window, 'confirm', () => false);
  quiet(window, 'prompt', () => null);
  quiet(window, 'print', () => undefined);
  const note = (url) => { try { notes.routes.size < 1000 && notes.routes.add(new URL(String(url), document.baseURI).href); } catch {} };
  quiet(window, 'open', (url) => { if (url) note(url); return null; });
  for (const gone of ['SharedWorker', 'RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport', 'EventSource', 'Notification', 'PushManager'])
    try { delete window[gone]; } catch {}
  for (const method of ['pushState', 'replaceState']) {
    const real = history[method];
    quiet(history, method, function (state, title, url) { if (url != null) note(url); return real.apply(this, arguments); });
  }
  const attach = Element.prototype.attachShadow;
  quiet(Element.prototype, 'attachShadow', function (options) {
    const root = attach.call(this, options);
    if (notes.roots.length < 5000) notes.roots.push(root);
    observer.observe(root, WATCHED);
    return root;
  });
  const cancel = window.clearTimeout;
  quiet(window, 'setTimeout', function (task, delay, ...rest) {
    if (typeof task !== 'function' || !(delay > 0 && delay <= 1000) || performance.now() - notes.began > 1000)
      return later(task, delay, ...rest);
    const id = later(() => { notes.timers.delete(id); notes.changes++; task(...rest); }, delay);
    notes.timers.add(id);
    return id;
  });
  quiet(window, 'clearTimeout', (id) => { notes.timers.delete(id); cancel(id); });
  const WATCHED = { childList: true, characterData: true, subtree: true };
  const observer = new MutationObserver(() => { notes.changes++; });
  observer.observe(document, WATCHED);
})()`;

/** Milliseconds between two checks of whether the document has changed. */
const CHECK_INTERVAL_MS = 20;

/**
 * Resolves when the document and its scripts have been loaded, nothing has changed for the given number of
 * milliseconds, and no short timer is pending. The time is counted in checks, which a busy processor delays just as it
 * delays the page's scripts.
 */
export const createQuietScript = (name: string, milliseconds: number): string => `new Promise((resolve) => {
  const notes = window[${JSON.stringify(name)}];
  if (!notes) return resolve();
  let changes = notes.changes;
  let quiet = 0;
  const look = () => {
    const still = notes.changes === changes && notes.timers.size === 0 && document.readyState === 'complete';
    changes = notes.changes;
    quiet = still ? quiet + ${CHECK_INTERVAL_MS} : 0;
    if (quiet >= ${milliseconds}) resolve();
    else notes.later.call(window, look, ${CHECK_INTERVAL_MS});
  };
  look();
})`;

/** The script returns true when the condition of `readyWhen` holds. */
export const createConditionScript = (readyWhen: string): string =>
  readyWhen.startsWith('js:')
    ? `Boolean((0, eval)(${JSON.stringify(readyWhen.slice(3))}))`
    : `Boolean(document.querySelector(${JSON.stringify(readyWhen)}))`;

export interface Snapshot {
  readonly html: string;
  /** URLs that scripts navigated to. */
  readonly routes: readonly string[];
}

const REMOVED_ELEMENTS =
  'style, noscript, link[rel~=stylesheet], link[rel~=preload], link[rel~=modulepreload], link[rel~=prefetch], script:not([type="application/ld+json"])';

/**
 * Serializes the current document, with shadow roots and frames of the same origin. The document is modified and cannot
 * be used afterwards.
 */
export const createSnapshotScript = (name: string, url: string, omitsFramedPages: boolean): string => `(() => {
  const notes = window[${JSON.stringify(name)}] ?? { roots: [], routes: [] };
  const asked = ${JSON.stringify(url)}.split('#')[0];
  const clean = (root) => { for (const node of root.querySelectorAll(${JSON.stringify(REMOVED_ELEMENTS)})) node.remove(); };
  const absolute = (root) => { for (const node of root.querySelectorAll('a[href], area[href]')) try { node.setAttribute('href', node.href.baseVal ?? node.href); } catch {} };
  const written = (element, roots) => { try { return element.getHTML({ serializableShadowRoots: true, shadowRoots: roots }); } catch { return element.innerHTML; } };
  let frames = '';
  let count = 0;
  const visit = (owner, depth) => {
    for (const frame of owner.querySelectorAll('iframe, frame')) {
      let inner;
      try { inner = frame.contentDocument; } catch {}
      if (${omitsFramedPages} && /^https?:/.test(inner?.URL)) continue;
      if (!inner?.body || depth > 3 || ++count > 20 || inner.URL === 'about:blank' && !inner.body.firstChild) continue;
      clean(inner);
      absolute(inner);
      frames += '<section>' + written(inner.body, []) + '</section>';
      visit(inner, depth + 1);
    }
  };
  visit(document, 1);
  const routes = [...notes.routes];
  const moved = document.baseURI.split('#')[0] !== asked && !document.querySelector('base[href]');
  clean(document);
  for (const root of notes.roots) { clean(root); if (moved) absolute(root); }
  if (moved) absolute(document);
  const html = document.documentElement;
  const attributes = ['lang', 'dir'].map((key) => html.getAttribute(key) ? ' ' + key + '="' + html.getAttribute(key).replace(/["<>&]/g, '') + '"' : '').join('');
  return { html: '<!DOCTYPE html><html' + attributes + '>' + written(html, notes.roots) + frames + '</html>', routes };
})()`;

/** Scrolls to the top and then to the end of the page, so that lazily loaded content is loaded. */
export const SCROLL_SCRIPT = `(() => {
  const end = document.scrollingElement ?? document.documentElement;
  end.scrollTop = 0;
  window.scrollTo(0, end.scrollHeight);
  window.dispatchEvent(new Event('scroll'));
})()`;

export const createClickScript = (selector: string): string => `(() => {
  const found = document.querySelector(${JSON.stringify(selector)});
  if (found instanceof HTMLElement || found instanceof SVGElement) found.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, view: window }));
  return Boolean(found);
})()`;

/** Words on buttons that add to a list, in the languages of the web. */
const MORE_WORDS =
  'more|mehr|plus|más|mas|mais|altro|altri|meer|mer|mere|flere|fler|lisää|więcej|další|ďalšie|več|více|ещё|еще|больше|більше|daha|περισσότερα|עוד|المزيد|もっと|さらに|更多|더|thêm|lainnya';

/**
 * Scrolls to the end of the page and of lists within it, and clicks the buttons that add to a list: short texts with a word for
 * more, outside of forms. Returns how much was on the page before.
 */
export const MORE_SCRIPT = `(() => {
  const amount = document.getElementsByTagName('*').length + (document.body?.textContent ?? '').length;
  const end = document.scrollingElement ?? document.documentElement;
  const lists = [...document.querySelectorAll('ul, ol, div, section, main, tbody')].slice(0, 5000)
    .filter((list) => list.scrollHeight > list.clientHeight + 50 && /auto|scroll/.test(getComputedStyle(list).overflowY)).slice(0, 20);
  for (const list of [end, ...lists]) {
    list.scrollTop = 0;
    list.scrollTop = list.scrollHeight;
    list.dispatchEvent(new Event('scroll', { bubbles: list === end }));
  }
  window.dispatchEvent(new Event('scroll'));
  const isMore = new RegExp(${JSON.stringify(`(?:^|[^p{L}])(?:${MORE_WORDS})(?:$|[^p{L}])`)}, 'iu');
  const buttons = [...document.querySelectorAll('button, [role=button], a:not([href]), a[href="#"], a[href^="javascript:"]')].filter((button) => {
    const text = (button.textContent ?? '').trim();
    return text.length > 0 && text.length <= 40 && isMore.test(text) && button.closest('form') === null && button.checkVisibility() && button.disabled !== true;
  });
  for (const button of buttons.slice(0, 10))
    button.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, view: window }));
  return amount;
})()`;
