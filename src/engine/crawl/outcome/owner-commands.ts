/**
 * A command, which any node may issue but only the node that owns the host may carry out. It is kept in the database
 * until it is done; the owner applies it to the URL's state at that time. The format is versioned because nodes of two
 * releases may share a database for a while.
 */
import type { UrlState } from '../../../domain/crawl/url-state.js';
import { after, type Duration, milliseconds } from '../../../domain/time/units.js';
import type { Nodes, OwnerCommand } from '../../ports/nodes.js';
import type { Ports } from '../../ports/ports.js';
import { Unacceptable } from '../../support/api-errors.js';
import type { UrlCommand } from './decision.js';

export type Command =
  | { readonly do: 'decide'; readonly crawler: string; readonly url: string; readonly word: UrlCommand }
  /** An older order for the document may have overtaken a newer one: whatever the sinks hold must be replaced. */
  | { readonly do: 'verify'; readonly crawler: string; readonly url: string }
  /** A user wants the URL visited now, even if its host is resting. */
  | { readonly do: 'try'; readonly crawler: string; readonly url: string }
  | { readonly do: 'pause'; readonly paused: boolean }
  /** Fetches a page that a user is viewing through another node; the result goes into the setting named `answer`. */
  | {
      readonly do: 'page';
      readonly crawler: string;
      readonly url: string;
      readonly answer: string;
      readonly render?: boolean;
    }
  /** Tests a login for a user of another node, in the same way. */
  | { readonly do: 'login'; readonly login: string; readonly answer: string };

/**
 * Increased whenever a node of the previous release could misunderstand a command. Commands without a version have
 * version 1.
 */
const VERSION = 4;

/**
 * The first version whose nodes understand the command. Nodes of version 1 would send a document back to its sink
 * unchanged; those of version 2 would not drop what is held, and those of version 3 would forget about a login.
 */
function getRequiredVersion(command: Command): number {
  if (command.do === 'login') return 4;
  if (command.do !== 'decide') return 1;
  const { word } = command;
  if (word.do === 'drop') return 3;
  return word.do === 'send-to' && word.from === word.sink ? 2 : 1;
}

type UrlOfHost = Pick<UrlState, 'hostKey' | 'crawler' | 'url'>;

export const createDecideCommand = ({ hostKey, crawler, url }: UrlOfHost, urlCommand: UrlCommand): OwnerCommand =>
  createCommand(hostKey, { do: 'decide', crawler, url, word: urlCommand });

export const createVerifyCommand = ({ hostKey, crawler, url }: UrlOfHost): OwnerCommand =>
  createCommand(hostKey, { do: 'verify', crawler, url });

export const createTryCommand = ({ hostKey, crawler, url }: UrlOfHost): OwnerCommand =>
  createCommand(hostKey, { do: 'try', crawler, url });

export const createPauseCommand = (hostKey: string, paused: boolean): OwnerCommand =>
  createCommand(hostKey, { do: 'pause', paused });

/** What the asking node writes in place of the answer to a page command when it has stopped waiting for it. */
export const ABANDONED = 'abandoned';

export const createPageCommand = (
  hostKey: string,
  page: { crawler: string; url: string; answer: string; render: boolean },
): OwnerCommand => createCommand(hostKey, { do: 'page', ...page });

export const createLoginCommand = (hostKey: string, login: string, answer: string): OwnerCommand =>
  createCommand(hostKey, { do: 'login', login, answer });

const POLL_INTERVAL = milliseconds(200);

interface AskingServices extends Pick<Ports, 'store' | 'clock'> {
  readonly nodes: Pick<Nodes, 'send'>;
}

/**
 * Sends a command that the owner answers, and waits for the value that it writes into the setting named by the command.
 * @param doing says what the owner does, for people
 * @throws Unacceptable
 */
export async function askOwner<T>(
  { store, nodes, clock }: AskingServices,
  createFor: (answer: string) => OwnerCommand,
  doing: string,
  timeout: Duration,
): Promise<T> {
  const name = `answer/${doing}/${clock.now()}`;
  await nodes.send(createFor(name));
  const deadline = after(clock.now(), timeout);
  while (clock.now() < deadline) {
    await clock.sleep(POLL_INTERVAL);
    const text = await store.getSetting(name);
    if (text === undefined) continue;
    await store.putSetting(name, undefined);
    const { error = 'the node that owns the host did not respond', ...values } = JSON.parse(text) as { error?: string };
    for (const value of Object.values(values)) return value as T;
    throw new Unacceptable(error);
  }
  await store.putSetting(name, ABANDONED);
  throw new Unacceptable(
    `timed out while another node was ${doing}; its host may be moving between nodes, so try again`,
  );
}

const createCommand = (hostKey: string, command: Command): OwnerCommand => ({
  hostKey,
  delivers: command.do === 'decide',
  text: JSON.stringify({ v: getRequiredVersion(command), ...command }),
});

/**
 * Returns undefined for a command of a later version, which a node of that release will carry out.
 * @throws SyntaxError for text that is not JSON
 */
export function parseCommand(text: string): Command | undefined {
  const { v = 1, ...command } = JSON.parse(text) as { v?: number } & Command;
  return v > VERSION ? undefined : (command as Command);
}
