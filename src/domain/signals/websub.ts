/**
 * The subscriber's side of WebSub (W3C Recommendation, 2018): a feed names a hub, and the hub reports when the feed has
 * changed.
 */

/** What a feed says about itself. */
export interface FeedHub {
  readonly hub: string;
  /** The feed's own URL, by which the hub knows it. */
  readonly topic: string;
}

/** Where hubs can reach this server, and which hubs are used. */
export interface WebSubDefinition {
  /** URL at which hubs can reach this server. */
  readonly callback: string;
  /** Host names, with their subdomains, that are allowed in addition to the feed's own host. */
  readonly hubs: readonly string[];
}

const MAX_TOTAL_LENGTH = 1_000;

/**
 * Any page can name any hub, and a hub is sent a POST, so only hubs that an operator has allowed or that are on the
 * feed's own host are used.
 */
export function mayUseHub({ hub, topic }: FeedHub, feed: string, hubs: readonly string[]): boolean {
  const [hubUrl, feedUrl] = [URL.parse(hub), URL.parse(feed)];
  if (!hubUrl || !feedUrl || !/^https?:$/.test(hubUrl.protocol) || hubUrl.username !== '' || hubUrl.password !== '')
    return false;
  if (hub.length + topic.length + feed.length > MAX_TOTAL_LENGTH || !URL.canParse(topic)) return false;
  return (
    hubUrl.host === feedUrl.host ||
    hubs.some((name) => hubUrl.hostname === name || hubUrl.hostname.endsWith(`.${name}`))
  );
}

export const createSubscriptionForm = (callback: string, topic: string, leaseSeconds: number): string =>
  new URLSearchParams({
    'hub.callback': callback,
    'hub.mode': 'subscribe',
    'hub.topic': topic,
    'hub.lease_seconds': String(leaseSeconds),
  }).toString();

/** The request by which a hub verifies the intent of a subscription, or reports that it is denied. */
export interface HubRequest {
  readonly mode: string;
  readonly topic: string;
  readonly challenge: string;
  /** How long the hub will report changes, in seconds. */
  readonly leaseSeconds: number;
}

export function parseHubRequest(query: Readonly<Record<string, unknown>>): HubRequest {
  const getParameter = (name: string): string => {
    const value = query[`hub.${name}`];
    return typeof value === 'string' ? value : '';
  };
  const lease = Number(getParameter('lease_seconds'));
  return {
    mode: getParameter('mode'),
    topic: getParameter('topic'),
    challenge: getParameter('challenge'),
    leaseSeconds: lease > 0 && lease <= 31_536_000 ? lease : 864_000,
  };
}
