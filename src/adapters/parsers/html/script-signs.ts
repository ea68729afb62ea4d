/**
 * Finds signs that a page with little text needs its scripts: see domain/render/needs-rendering.ts. Every pattern runs
 * in linear time.
 */
import type { ScriptSigns } from '../../../domain/render/needs-rendering.js';
import type { PageFacts } from './page-facts.js';

/** Maximum number of bytes that are searched. A page shell is small; in a larger page, its scripts come first. */
const MAX_BYTES = 1 << 20;
const MAX_NOSCRIPTS = 50;

const NAVIGATION_KINDS: ReadonlySet<string> = new Set(['a', 'area', 'iframe']);

const SCRIPT = /<script\b([^<>]{0,4000})>/gi;
const SCRIPT_END = /<\/script[\s/>]/gi;
const DATA_TYPE = /\btype\s*=\s*["']?(?:application\/(?:[\w.+-]*\+)?json|importmap|speculationrules)/i;
/** Blocks from which scripts create parts of the page. */
const TEMPLATE_TYPE =
  /\btype\s*=\s*["']?(text\/(?:html|(?:x-|ng-)?(?:template|tmpl|handlebars|mustache|underscore|jsrender|jquery-tmpl|kendo-template)[\w-]{0,20}))/i;
/** Attributes by which AngularJS, Vue, Alpine.js, Knockout, Aurelia and htmx replace or fill an element. */
const DIRECTIVE =
  /<[a-z][^<>]{0,1000}?\s((?:data-)?(?:ng-(?:app|view|repeat|include|bind|bind-html)|ui-view)|v-(?:for|text|html)|x-(?:for|text|html)|aurelia-app|data-bind(?=\s*=\s*["'][^<>"']{0,300}?\b(?:foreach|text|html|template|component)\s*:)|hx-trigger(?=\s*=\s*["'][^<>"']{0,100}?\b(?:load|revealed)\b))(?=[\s=/>])/i;
const HAS_SOURCE = /\bsrc\s*=/i;
/** A module, or a file in a folder that only framework builds have. */
const BUNDLED = /\btype\s*=\s*["']?module\b|\/_next\/static\/|\/_nuxt\/|\/_app\/immutable\/|\/_framework\/blazor/i;
/** An inline script that loads a script file. */
const IMPORTS = /\bimport\s*\(\s*["'`]|\bimport\b[^"'`;()]{0,300}["']/;
const NOSCRIPT = /<noscript\b[^>]{0,500}>/gi;
const MENTIONS_SCRIPTS = /java\s?script|скрипт/i;
const NAVIGATION = /\blocation(?:\.href)?\s*=[^=]|\blocation\.(?:replace|assign)\s*\(/;

/** Analytics scripts do none of this: they only insert script elements. */
const CREATES =
  /\b(?:innerHTML|outerHTML|textContent|innerText|srcdoc)\s*\+?=[^=]|\b(?:attachShadow|insertAdjacent(?:HTML|Element|Text)|replaceChildren|fetch)\s*\(|\bdocument\.write(?:ln)?\s*\(|\bnew\s+(?:XMLHttpRequest|WebSocket|EventSource)\b/;

const ROOT_IDS =
  'root|app|app-root|__next|__nuxt|___gatsby|svelte|q-app|react-root|react-app|main-app|mount|application|ember-app|app-container|app-wrapper|spa|vue-app|angular-app|page-root|single-spa-application[\\w:-]{0,100}';
const ROOT = new RegExp(
  `<(div|main|section|body)\\b[^<>]{0,300}?\\bid\\s*=\\s*["']?(${ROOT_IDS})["']?(?=[\\s/>])[^<>]{0,300}>([^<]{0,60})(?=<)`,
  'gi',
);
const CUSTOM_ROOT =
  /<(app-root|app-main|my-app|app|flutter-view|[a-z][a-z0-9]{0,30}-(?:app|root|shell))\b[^<>]{0,300}>\s{0,100}<\/\1\s{0,10}>/i;
/** Placeholder content of a root until the scripts have run. */
const LOADING = /^(?:loading|please wait|laden|chargement|cargando|загрузка|…|\.{3})?[\s.…]*$/i;
/** Links that do not leave the page: fragment links, including hash routes, and `javascript:` links. */
const SAME_PAGE = /^\s*(?:#|javascript:|$)/i;
const SERVER_RENDERED = /\bng-version\b|data-server-rendered/i;

/** `html` must be valid UTF-8; `textBytes` is the size of its visible text. */
export function findScriptSigns(html: Buffer, facts: PageFacts, textBytes: number): ScriptSigns {
  const text = html.toString('utf8', 0, Math.min(html.length, MAX_BYTES));
  const { externalCount, inlineBytes, navigates, creates, bundled, template } = summarizeScripts(text);
  const documentLinks = facts.links.filter(({ kind, href }) => NAVIGATION_KINDS.has(kind) && !SAME_PAGE.test(href));
  const { root, isEmpty } = findRoot(text);
  return {
    textBytes,
    links: documentLinks.length,
    frames: facts.links.some(({ kind }) => kind === 'frame'),
    ownFrames: facts.links.filter(({ kind, href }) => kind === 'iframe' && isOnSameHost(href)).length,
    externalScripts: externalCount,
    inlineScriptBytes: inlineBytes,
    emptyRoot: isEmpty ? root : undefined,
    root,
    template: template ?? DIRECTIVE.exec(text)?.[1],
    bundled,
    asksForScripts: asksForScripts(text),
    navigates,
    creates,
  };
}

/** An address without a host; those of advertisements and videos have one. */
const isOnSameHost = (href: string): boolean => !/^\s*(?:[a-z][a-z0-9+.-]*:|[/\\]{2}|#|$)/i.test(href);

interface Scripts {
  externalCount: number;
  inlineBytes: number;
  navigates: boolean;
  creates: boolean;
  bundled: boolean;
  template?: string;
}

function summarizeScripts(text: string): Scripts {
  const scripts: Scripts = { externalCount: 0, inlineBytes: 0, navigates: false, creates: false, bundled: false };
  SCRIPT.lastIndex = 0;
  for (let tag = SCRIPT.exec(text); tag; tag = SCRIPT.exec(text)) {
    const start = SCRIPT.lastIndex;
    SCRIPT_END.lastIndex = start;
    const end = SCRIPT_END.exec(text)?.index ?? text.length;
    addScript(scripts, tag[1]!, end - start, text.slice(start, Math.min(end, start + 10_000)));
    SCRIPT.lastIndex = end;
  }
  return scripts;
}

function addScript(scripts: Scripts, attributes: string, length: number, code: string): void {
  const template = TEMPLATE_TYPE.exec(attributes)?.[1];
  if (template !== undefined) scripts.template ??= template.toLowerCase();
  else if (DATA_TYPE.test(attributes)) return;
  else if (HAS_SOURCE.test(attributes)) {
    scripts.externalCount++;
    scripts.bundled ||= BUNDLED.test(attributes);
  } else {
    scripts.inlineBytes += length;
    if (IMPORTS.test(code)) scripts.externalCount++;
    scripts.bundled ||= BUNDLED.test(code);
    scripts.navigates ||= NAVIGATION.test(code);
    scripts.creates ||= CREATES.test(code);
  }
}

/** Finds the first empty root, otherwise the first one that no server has filled. */
function findRoot(text: string): { readonly root?: string; readonly isEmpty: boolean } {
  let filledRoot: string | undefined;
  ROOT.lastIndex = 0;
  for (let match = ROOT.exec(text); match; match = ROOT.exec(text)) {
    if (SERVER_RENDERED.test(match[0])) continue;
    const root = `${match[1]!.toLowerCase()}#${match[2]}`;
    const isClosed = text.startsWith(`</${match[1]}`, ROOT.lastIndex) || match[1]!.toLowerCase() === 'body';
    if (isClosed && LOADING.test(match[3]!.trimStart())) return { root, isEmpty: true };
    filledRoot ??= root;
  }
  const customRoot = CUSTOM_ROOT.exec(text)?.[1];
  return customRoot === undefined ? { root: filledRoot, isEmpty: false } : { root: customRoot, isEmpty: true };
}

function asksForScripts(text: string): boolean {
  let checkedCount = 0;
  NOSCRIPT.lastIndex = 0;
  for (let tag = NOSCRIPT.exec(text); tag; tag = NOSCRIPT.exec(text)) {
    const content = text.slice(NOSCRIPT.lastIndex, NOSCRIPT.lastIndex + 2_000);
    if (MENTIONS_SCRIPTS.test(content.split('</noscript', 1)[0]!)) return true;
    if (++checkedCount === MAX_NOSCRIPTS) return false;
  }
  return false;
}
