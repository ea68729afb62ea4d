/**
 * Determines whether a page contains its content, or only the scripts that would create it. It judges by the response
 * alone, so that a page without content is reported whether or not there is a browser to render it.
 */

/** Signs of scripts on a page with little text; collected only for such pages. */
export interface ScriptSigns {
  /** Size of the visible text, in UTF-8 bytes. */
  readonly textBytes: number;
  /** Number of links of any kind that lead to documents. */
  readonly links: number;
  /** The page is a set of frames: its content is in other documents. */
  readonly frames: boolean;
  /** Number of `<iframe>` elements with a page of the same host. */
  readonly ownFrames?: number;
  /** Number of `<script src>`, not counting data and JSON blocks. */
  readonly externalScripts: number;
  /** Size of scripts in the page itself, in bytes, not counting data and JSON blocks. */
  readonly inlineScriptBytes: number;
  /** An empty element that frameworks fill: `div#root`, `app-root`. */
  readonly emptyRoot?: string;
  /** An element with such a name that is not empty: it contains a spinner or an error message, for example. */
  readonly root?: string;
  /** An attribute or a block that scripts replace with content: `ng-repeat`, `v-for`, `text/template`. */
  readonly template?: string;
  /** A script file is a module, or its path is typical of a framework's build output: `/_next/static/`. */
  readonly bundled: boolean;
  /** `<noscript>` asks for JavaScript. */
  readonly asksForScripts: boolean;
  /** A script sets the location of the window. */
  readonly navigates: boolean;
  /** A script in the page itself creates parts of it, or fetches them. */
  readonly creates?: boolean;
}

/** Reason code for a document that is in the index with almost no content. */
export const NEEDS_RENDERING = 'needs-rendering';

/** Pages with more visible text than this, in UTF-8 bytes, contain their content and are not examined. */
export const LITTLE_TEXT = 500;
/** Maximum number of bytes on a page that only states its name and asks for JavaScript. */
const MAX_SHELL_TEXT = 300;
/** Maximum number of bytes on a page without any content: its name, "Loading…". */
const MAX_EMPTY_TEXT = 60;
/** Maximum number of links of a shell: it may link to its feed, an imprint or an app store. */
const MAX_SHELL_LINKS = 3;
/** Minimum size of a whole application within the page; analytics scripts are shorter. */
const MIN_APPLICATION_BYTES = 20_000;

/** Describes to users why the page must be rendered to have content; undefined if it contains its content. */
export function findRenderingReason(signs: ScriptSigns): string | undefined {
  const { textBytes, links, frames, externalScripts, inlineScriptBytes } = signs;
  const isShell = links <= MAX_SHELL_LINKS;
  if (frames || textBytes > LITTLE_TEXT) return undefined;
  // The frame is a link, too: apart from it, there is none.
  const { ownFrames = 0 } = signs;
  if (ownFrames > 0 && textBytes <= MAX_EMPTY_TEXT && links <= ownFrames)
    return `its content is in ${formatCount(ownFrames, 'frame')} (${textBytes} bytes of text)`;
  if (externalScripts === 0 && inlineScriptBytes === 0) return undefined;
  const summary = `${textBytes} bytes of text, ${formatCount(links, 'link')}, ${formatCount(externalScripts, 'script file')}`;
  if (signs.emptyRoot !== undefined && isShell)
    return `scripts would fill the empty element ${signs.emptyRoot} (${summary})`;
  if (signs.template !== undefined) return `scripts would put content in place of ${signs.template} (${summary})`;
  if (signs.asksForScripts && textBytes <= MAX_SHELL_TEXT && isShell)
    return `the page asks its visitors to turn on JavaScript (${summary})`;
  return textBytes > MAX_EMPTY_TEXT ? undefined : findReasonWithoutText(signs, isShell, summary);
}

function findReasonWithoutText(signs: ScriptSigns, isShell: boolean, summary: string): string | undefined {
  if (signs.root !== undefined && isShell) return `scripts would fill the element ${signs.root} (${summary})`;
  const hasScripts = signs.externalScripts > 0 || signs.inlineScriptBytes >= MIN_APPLICATION_BYTES;
  if (signs.links > 0)
    return signs.bundled && isShell ? `it has scripts of an application and no content (${summary})` : undefined;
  if (signs.navigates) return `a script redirects visitors (${summary})`;
  if (signs.creates) return `its scripts would create the content (${summary})`;
  return hasScripts ? `it has scripts and no content (${summary})` : undefined;
}

const formatCount = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;
