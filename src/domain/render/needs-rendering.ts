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

/** Why the page must be rendered to have content, for a person; undefined if it brings its content itself. */
export function findRenderingReason(signs: ScriptSigns): string | undefined {
  const { textBytes, links, frames, externalScripts, inlineScriptBytes } = signs;
  if (frames || textBytes > LITTLE_TEXT || (externalScripts === 0 && inlineScriptBytes === 0)) return undefined;
  const what = `${textBytes} bytes of text, ${countText(links, 'link')}, ${countText(externalScripts, 'script file')}`;
  if (signs.emptyRoot !== undefined && links <= SHELL_LINKS)
    return `scripts would fill the empty element ${signs.emptyRoot} (${what})`;
  if (signs.asksForScripts && textBytes <= SHELL_TEXT && links <= SHELL_LINKS)
    return `the page asks its visitors to turn JavaScript on (${what})`;
  if (textBytes > NO_TEXT || links > 0) return undefined;
  if (signs.navigates) return `a script sends its visitors on (${what})`;
  return externalScripts > 0 ? `it has scripts and no content (${what})` : undefined;
}

const countText = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;
