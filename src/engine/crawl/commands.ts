/**
 * What any node may decide but only the node that owns the host may carry out: a command, kept in the database until it is done.
 * The owner applies it to the URL as it is at that time. The format is versioned, because nodes of two releases may share a
 * database for a while.
 */
import type { UrlState } from '../../domain/crawl/url-state.js';
import type { OwnerCommand } from '../ports/nodes.js';
import type { UrlCommand } from './outcome/url-settlement.js';

export type Command =
  | { readonly do: 'decide'; readonly crawler: string; readonly url: string; readonly word: UrlCommand }
  /** An order for the document may have been sent out of order: whatever the sinks hold must be replaced. */
  | { readonly do: 'verify'; readonly crawler: string; readonly url: string }
  /** A person wants the URL visited now, even if its host rests. */
  | { readonly do: 'try'; readonly crawler: string; readonly url: string }
  | { readonly do: 'pause'; readonly paused: boolean }
  /** Fetched for a person who looks at the page through another node; the answer goes into a setting of this name. */
  | {
      readonly do: 'page';
      readonly crawler: string;
      readonly url: string;
      readonly answer: string;
      readonly render?: boolean;
    };

/** Increased when a node of the previous release could misunderstand a command. Commands without a version have version 1. */
const VERSION = 2;

/** The first version whose nodes understand the command. Nodes of version 1 send a document back to its sink unchanged. */
const requiredVersion = (what: Command): number =>
  what.do === 'decide' && what.word.do === 'send-to' && what.word.from === what.word.sink ? 2 : 1;

type UrlOfHost = Pick<UrlState, 'hostKey' | 'crawler' | 'url'>;

export const createDecideCommand = ({ hostKey, crawler, url }: UrlOfHost, word: UrlCommand): OwnerCommand =>
  createCommand(hostKey, { do: 'decide', crawler, url, word });

export const createVerifyCommand = ({ hostKey, crawler, url }: UrlOfHost): OwnerCommand =>
  createCommand(hostKey, { do: 'verify', crawler, url });

export const createTryCommand = ({ hostKey, crawler, url }: UrlOfHost): OwnerCommand =>
  createCommand(hostKey, { do: 'try', crawler, url });

export const createPauseCommand = (hostKey: string, paused: boolean): OwnerCommand =>
  createCommand(hostKey, { do: 'pause', paused });

export const createPageCommand = (
  hostKey: string,
  page: { crawler: string; url: string; answer: string; render: boolean },
): OwnerCommand => createCommand(hostKey, { do: 'page', ...page });

const createCommand = (hostKey: string, what: Command): OwnerCommand => ({
  hostKey,
  delivers: what.do === 'decide',
  text: JSON.stringify({ v: requiredVersion(what), ...what }),
});

/**
 * Undefined for a command of a later version: a node of that release carries it out.
 * @throws SyntaxError for text that is not JSON
 */
export function readCommand(text: string): Command | undefined {
  const { v = 1, ...command } = JSON.parse(text) as { v?: number } & Command;
  return v > VERSION ? undefined : (command as Command);
}
