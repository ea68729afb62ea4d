/** What a page with little text shows of its scripts: see domain/render/needs-rendering.ts. Every pattern runs in linear time. */
import type { ScriptSigns } from '../../../domain/render/needs-rendering.js';
import type { PageFacts } from './page-facts.js';

/** A shell is small; in a page of megabytes, the relevant scripts come first. */
const MOST_BYTES = 1 << 20;
const MOST_NOSCRIPTS = 50;

const SCRIPT = /<script\b([^<>]{0,4000})>/gi;
const SCRIPT_END = /<\/script[\s/>]/gi;
const DATA_TYPE =
  /\btype\s*=\s*["']?(?:application\/(?:[\w.+-]*\+)?json|text\/(?:x-)?template|text\/html|importmap|speculationrules)/i;
const HAS_SOURCE = /\bsrc\s*=/i;
const NOSCRIPT = /<noscript\b[^>]{0,500}>/gi;
const ASKS = /java\s?script|скрипт/i;
const NAVIGATES = /\blocation(?:\.href)?\s*=[^=]|\blocation\.(?:replace|assign)\s*\(/;

const ROOT_IDS =
  'root|app|app-root|__next|__nuxt|___gatsby|svelte|q-app|react-root|react-app|main-app|mount|application|ember-app|app-container|app-wrapper|spa|vue-app|angular-app|page-root|single-spa-application[\\w:-]{0,100}';
const EMPTY_ROOT = new RegExp(
  `<(div|main|section|body)\\b[^<>]{0,300}?\\bid\\s*=\\s*["']?(${ROOT_IDS})["']?(?=[\\s/>])[^<>]{0,300}>([^<]{0,60})(?=<)`,
  'gi',
);
const CUSTOM_ROOT =
  /<(app-root|app-main|my-app|app|flutter-view|[a-z][a-z0-9]{0,30}-(?:app|root|shell))\b[^<>]{0,300}>\s{0,100}<\/\1\s{0,10}>/i;
/** Placeholder content of a root until the scripts have run. */
const LOADING = /^(?:loading|please wait|laden|chargement|cargando|загрузка|…|\.{3})?[\s.…]*$/i;
const STATE_OF_ROOT = /\bng-version\b|data-server-rendered/i;

/** `html`: valid UTF-8; `textBytes` of its visible text. */
export function findScriptSigns(html: Buffer, facts: PageFacts, textBytes: number): ScriptSigns {
  const text = html.toString('utf8', 0, Math.min(html.length, MOST_BYTES));
  const { external, inline, navigates } = countScripts(text);
  const documents = facts.links.filter(({ kind }) => kind === 'a' || kind === 'area' || kind === 'iframe');
  return {
    textBytes,
    links: documents.length,
    frames: facts.links.some(({ kind }) => kind === 'frame'),
    externalScripts: external,
    inlineScriptBytes: inline,
    emptyRoot: findEmptyRoot(text),
    asksForScripts: asksForScripts(text),
    navigates,
  };
}

function countScripts(text: string): { external: number; inline: number; navigates: boolean } {
  let external = 0;
  let inline = 0;
  let navigates = false;
  SCRIPT.lastIndex = 0;
  for (let tag = SCRIPT.exec(text); tag; tag = SCRIPT.exec(text)) {
    SCRIPT_END.lastIndex = SCRIPT.lastIndex;
    const end = SCRIPT_END.exec(text)?.index ?? text.length;
    if (!DATA_TYPE.test(tag[1]!)) {
      if (HAS_SOURCE.test(tag[1]!)) external++;
      else {
        inline += end - SCRIPT.lastIndex;
        navigates ||= NAVIGATES.test(text.slice(SCRIPT.lastIndex, Math.min(end, SCRIPT.lastIndex + 10_000)));
      }
    }
    SCRIPT.lastIndex = end;
  }
  return { external, inline, navigates };
}

function findEmptyRoot(text: string): string | undefined {
  EMPTY_ROOT.lastIndex = 0;
  for (let found = EMPTY_ROOT.exec(text); found; found = EMPTY_ROOT.exec(text)) {
    const closes = text.startsWith(`</${found[1]}`, EMPTY_ROOT.lastIndex) || found[1]!.toLowerCase() === 'body';
    if (closes && LOADING.test(found[3]!.trimStart()) && !STATE_OF_ROOT.test(found[0]))
      return `${found[1]!.toLowerCase()}#${found[2]}`;
  }
  return CUSTOM_ROOT.exec(text)?.[1];
}

function asksForScripts(text: string): boolean {
  let seen = 0;
  NOSCRIPT.lastIndex = 0;
  for (let tag = NOSCRIPT.exec(text); tag; tag = NOSCRIPT.exec(text)) {
    const content = text.slice(NOSCRIPT.lastIndex, NOSCRIPT.lastIndex + 2_000);
    if (ASKS.test(content.split('</noscript', 1)[0]!)) return true;
    if (++seen === MOST_NOSCRIPTS) return false;
  }
  return false;
}
