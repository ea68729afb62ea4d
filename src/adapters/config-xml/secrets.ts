/**
 * A configuration's secrets leave the server only as asterisks, and asterisks that come back stand for the secret at
 * the same place. A place is the path of names, types and addresses to the value, including the proxies and
 * certificates used on the way: a person who points a sink or a credential to another address must enter its secret
 * again, so an edit can never send a secret to a stranger.
 */
import { findPrivateKeyRanges, findUserInfoRanges, replaceRanges } from '../../domain/redact.js';
import { hideComments, restoreComments } from './comment-secrets.js';
import { parseDocument, type XmlDocument, type XmlElement, XmlFault } from './document.js';
import { PLACEHOLDER } from './placeholder.js';
import {
  findNameAttribute,
  findSecretRanges,
  findSecretTextRanges,
  isSecret,
  measureHeaderName,
} from './secret-ranges.js';
import { applySplices, type Splice } from './splice.js';

/** A range of the text that contains a secret. */
interface Secret {
  /** Its place, in a form that stays valid after other edits. */
  readonly key: string;
  readonly start: number;
  readonly end: number;
}

/**
 * The text with every secret replaced by asterisks; references to variables are unchanged. @throws XmlFault if the text
 * is not well-formed XML, because then its secrets cannot be found
 */
export function redact(xml: string): string {
  const document = parseDocument(xml, 'CrawlConfig.xml');
  const hidden = findSecrets(document).map(({ start, end }): Splice => ({ start, end, text: PLACEHOLDER }));
  return applySplices(
    xml,
    [...hidden, ...hideComments(xml)].sort((one, other) => one.start - other.start),
  );
}

/**
 * The text with asterisks replaced by the secrets of `current`. Asterisks without a known secret stay, and the reader
 * refuses them.
 */
export function restoreSecrets(xml: string, current: string): string {
  if (!xml.includes(PLACEHOLDER)) return xml;
  try {
    const known = new Map<string, string>();
    for (const { key, start, end } of findSecrets(parseDocument(current, 'current'))) {
      known.set(key, current.slice(start, end));
    }
    const splices: Splice[] = restoreComments(xml, current);
    for (const { key, start, end } of findSecrets(parseDocument(xml, 'new'))) {
      const secret = xml.slice(start, end) === PLACEHOLDER ? known.get(key) : undefined;
      if (secret !== undefined) splices.push({ start, end, text: secret });
    }
    return applySplices(
      xml,
      splices.sort((one, other) => one.start - other.start),
    );
  } catch (error) {
    if (error instanceof XmlFault) return xml; // the reader reports what is wrong with it
    throw error;
  }
}

function findSecrets(document: XmlDocument): Secret[] {
  const secrets: Secret[] = [];
  const seen = new Map<string, number>();
  const add = (key: string, start: number, end: number): void => {
    const count = seen.get(key) ?? 0;
    seen.set(key, count + 1);
    secrets.push({ key: count === 0 ? key : `${key} #${count}`, start, end });
  };
  const ways = findDestinations(document);
  walkElements(document.root, '', (path, element) => {
    for (const attribute of element.attributes) {
      for (const [start, end] of findSecretRanges(element, attribute, document.text)) {
        add(`${path}/@${attribute.local}${buildDestinationKey(path, element, ways)}`, start, end);
      }
    }
    for (const [start, end] of findSecretTextRanges(element, document.text)) add(`${path}/text`, start, end);
  });
  return secrets;
}

function walkElements(element: XmlElement, parent: string, look: (path: string, element: XmlElement) => void): void {
  const path = `${parent}/${element.local}${identifyElement(element)}`;
  look(path, element);
  for (const child of element.children) walkElements(child, path, look);
}

/** Names, types and addresses, without parts that may be secret. */
function identifyElement(element: XmlElement): string {
  const parts: string[] = [];
  for (const { local, value } of element.attributes) {
    if (local === 'name' || local === 'type' || local === 'verifyCertificates') parts.push(`${local} ${value}`);
    if (local === 'url' || local === 'alias') parts.push(`${local} ${parseConnectionTarget(value)}`);
    if (element.local === 'Login' || element.local === 'LoginStep') parts.push(...listLoginDestinations(local, value));
    if (local === 'value') parts.push(value.slice(0, measureHeaderName(element, value)));
    if (local === 'value' && element.local.startsWith('apply-')) parts.push(value);
  }
  if (element.local === 'Sink') parts.push(...listDescendants(element).filter(hasDestination).map(identifyWithContent));
  return `[${parts.join(' ')}]`;
}

/** Other settings of a login that determine who gets its secrets. */
function listLoginDestinations(local: string, value: string): string[] {
  if (['page', 'check', 'tokenUrl', 'json'].includes(local)) return [`${local} ${parseConnectionTarget(value)}`];
  return ['sendTo', 'insecure', 'header'].includes(local) ? [`${local} ${value}`] : [];
}

/**
 * Where a connection to the address goes, according to a URL parser and not to its appearance (`http://other?@known/`).
 */
function parseConnectionTarget(text: string): string {
  const url = URL.parse(text);
  if (url && url.host !== '') return `${url.protocol}//${url.host}${url.pathname}`;
  return `as written ${replaceRanges(text, findUserInfoRanges(text), '')}`;
}

/** Other settings that determine who can see what is sent in a crawl. */
interface Destinations {
  /** Proxies and certificates of all fetchers and conditions. */
  readonly routes: string;
  /** Where crawls begin: secrets for which no server is named are sent to all these sites. */
  readonly roots: string;
}

function findDestinations({ root }: XmlDocument): Destinations {
  const elements = listDescendants(root);
  const crawling = elements.filter(({ local }) => local === 'Fetcher' || local === 'Crawler').flatMap(listDescendants);
  return {
    routes: [...new Set(crawling.filter(hasDestination).map(identifyWithContent))].sort().join(' '),
    roots: [...new Set(elements.filter(({ local }) => local === 'Root').map(identifyElement))].sort().join(' '),
  };
}

function buildDestinationKey(path: string, { local, attributes }: XmlElement, { routes, roots }: Destinations): string {
  if (path.includes('/Sink[')) return '';
  const hasUrl = attributes.some((attribute) => attribute.local === 'url');
  const toRoots = local === 'option' || (local === 'Header' && !hasUrl);
  return ` by ${routes}${toRoots ? ` to ${roots}` : ''}`;
}

const listDescendants = (element: XmlElement): XmlElement[] =>
  element.children.flatMap((child) => [child, ...listDescendants(child)]);

const hasDestination = (element: XmlElement): boolean =>
  ['Proxy', 'CertificateAuthority', 'ClientCertificate'].includes(element.local) ||
  (element.local === 'option' && findNameAttribute(element) === 'proxy');

const redactPrivateKeys = (text: string): string => replaceRanges(text, findPrivateKeyRanges(text), PLACEHOLDER);

/** The element with all its attributes except secret ones, and its text, which may be a certificate. */
function identifyWithContent(element: XmlElement): string {
  const attributes = element.attributes
    .filter((attribute) => !isSecret(element, attribute))
    .map(({ local, value }) => `${local} ${parseConnectionTarget(value)}`);
  return `${element.local}[${attributes.join(' ')} ${redactPrivateKeys(element.text)}]`;
}
