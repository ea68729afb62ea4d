/**
 * Does a page bring its content, or only the scripts that would make it? Judged by the answer itself, so that a page without
 * content is reported whether or not there is a browser to render it.
 */

/** Signs of scripts on a page without much text. Counted only for such pages. */
export interface ScriptSigns {
  /** Bytes of the visible text, in UTF-8. */
  readonly textBytes: number;
  /** Links of any kind that lead to documents. */
  readonly links: number;
  /** The page is a set of frames: its content is in other documents. */
  readonly frames: boolean;
  /** `<script src>`, data and JSON blocks not counted. */
  readonly externalScripts: number;
  /** Bytes of scripts in the page itself, not counting data and JSON blocks. */
  readonly inlineScriptBytes: number;
  /** An empty element that frameworks fill: `div#root`, `app-root`. */
  readonly emptyRoot?: string;
  /** Such an element by its name, with something in it: a picture that turns, an error to be shown. */
  readonly root?: string;
  /** An attribute or a block that says what scripts put in its place: `ng-repeat`, `v-for`, `text/template`. */
  readonly template?: string;
  /** A script file is a module, or its path is that of a framework's build: `/_next/static/`. */
  readonly bundled: boolean;
  /** `<noscript>` asks for JavaScript. */
  readonly asksForScripts: boolean;
  /** A script sets the location of the window. */
  readonly navigates: boolean;
}

/** The reason of a document that is in the index with almost no content. */
export const NEEDS_RENDERING = 'needs-rendering';

/** Pages with more visible text (UTF-8 bytes) than this bring their content themselves, and are not examined. */
export const LITTLE_TEXT = 500;
/** A page that asks for JavaScript may say so, and who it is, in this many bytes. */
const SHELL_TEXT = 300;
/** What remains of a page without any content: its name, "Loading…". */
const NO_TEXT = 60;
/** A shell may link to its feed, an imprint or an app store. */
const SHELL_LINKS = 3;
/** A whole application within the page; analytics scripts are shorter. */
const APPLICATION_BYTES = 20_000;

/** Why the page must be rendered to have content, for a person; undefined if it brings its content itself. */
export function findRenderingReason(signs: ScriptSigns): string | undefined {
  const { textBytes, links, frames, externalScripts, inlineScriptBytes } = signs;
  const isShell = links <= SHELL_LINKS;
  if (frames || textBytes > LITTLE_TEXT || (externalScripts === 0 && inlineScriptBytes === 0)) return undefined;
  const what = `${textBytes} bytes of text, ${countText(links, 'link')}, ${countText(externalScripts, 'script file')}`;
  if (signs.emptyRoot !== undefined && isShell)
    return `scripts would fill the empty element ${signs.emptyRoot} (${what})`;
  if (signs.template !== undefined) return `scripts would put content in place of ${signs.template} (${what})`;
  if (signs.asksForScripts && textBytes <= SHELL_TEXT && isShell)
    return `the page asks its visitors to turn JavaScript on (${what})`;
  return textBytes > NO_TEXT ? undefined : findReasonWithoutText(signs, isShell, what);
}

function findReasonWithoutText(signs: ScriptSigns, isShell: boolean, what: string): string | undefined {
  if (signs.root !== undefined && isShell) return `scripts would fill the element ${signs.root} (${what})`;
  const hasScripts = signs.externalScripts > 0 || signs.inlineScriptBytes >= APPLICATION_BYTES;
  if (signs.links > 0)
    return signs.bundled && isShell ? `it has scripts of an application and no content (${what})` : undefined;
  if (signs.navigates) return `a script redirects visitors (${what})`;
  return hasScripts ? `it has scripts and no content (${what})` : undefined;
}

const countText = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;
