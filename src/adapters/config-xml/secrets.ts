/**
 * Replaces the secrets of a configuration with asterisks before it leaves the server, and restores them when it comes
 * back. Asterisks stand for the secret at the same place, which is identified by the names, types and addresses on the
 * path to the value, and by the proxies and certificates that connections use. A user who changes the address of a sink
 * or credential must therefore enter its secret again, so that no edit can divert a secret to another server.
 */
import { findPrivateKeyRanges, findUserInfoRanges, replaceRanges } from '../../domain/redact.js';
import { createHidingSplices, createRestoringSplices } from './comment-secrets.js';
import { parseDocument, type XmlDocument, type XmlElement, XmlFault } from './document.js';
import { PLACEHOLDER } from './placeholder.js';
import {
  findSecretRanges,
  findSecretTextRanges,
  getNameAttribute,
  getPublicPrefixLength,
  isSecret,
} from './secret-ranges.js';
import { applySplices, type Splice } from './splice.js';

/** A range of the text that contains a secret. */
interface Secret {
  /** Identifies the place of the secret, independently of edits elsewhere. */
  readonly key: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the text with every secret replaced with asterisks. References to variables are unchanged.
 * @throws XmlFault if the text is not well-formed XML, because its secrets cannot be found then
 */
export function redactConfiguration(xml: string): string {
  const document = parseDocument(xml, 'CrawlConfig.xml');
  const secretSplices = findSecrets(document).map(({ start, end }): Splice => ({ start, end, text: PLACEHOLDER }));
  return applySplices(
    xml,
    [...secretSplices, ...createHidingSplices(xml)].sort((a, b) => a.start - b.start),
  );
}

/**
 * Returns the text with asterisks replaced with the secrets of `current`. Asterisks without a known secret are left
 * unchanged, and the reader reports them as errors.
 */
export function restoreSecrets(xml: string, current: string): string {
  if (!xml.includes(PLACEHOLDER)) return xml;
  try {
    const secretsByKey = new Map<string, string>();
    for (const { key, start, end } of findSecrets(parseDocument(current, 'current'))) {
      secretsByKey.set(key, current.slice(start, end));
    }
    const splices: Splice[] = createRestoringSplices(xml, current);
    for (const { key, start, end } of findSecrets(parseDocument(xml, 'new'))) {
      const secret = xml.slice(start, end) === PLACEHOLDER ? secretsByKey.get(key) : undefined;
      if (secret !== undefined) splices.push({ start, end, text: secret });
    }
    return applySplices(
      xml,
      splices.sort((a, b) => a.start - b.start),
    );
  } catch (error) {
    if (error instanceof XmlFault) return xml; // the reader reports the error
    throw error;
  }
}

function findSecrets(document: XmlDocument): Secret[] {
  const secrets: Secret[] = [];
  const keyCounts = new Map<string, number>();
  const addSecret = (key: string, start: number, end: number): void => {
    const count = keyCounts.get(key) ?? 0;
    keyCounts.set(key, count + 1);
    secrets.push({ key: count === 0 ? key : `${key} #${count}`, start, end });
  };
  const destinations = findDestinations(document);
  walkElements(document.root, '', (path, element) => {
    for (const attribute of element.attributes) {
      for (const [start, end] of findSecretRanges(element, attribute, document.text)) {
        addSecret(`${path}/@${attribute.local}${buildDestinationKey(path, element, destinations)}`, start, end);
      }
    }
    for (const [start, end] of findSecretTextRanges(element, document.text)) addSecret(`${path}/text`, start, end);
  });
  return secrets;
}

function walkElements(element: XmlElement, parent: string, visit: (path: string, element: XmlElement) => void): void {
  const path = `${parent}/${element.local}${buildElementKey(element)}`;
  visit(path, element);
  for (const child of element.children) walkElements(child, path, visit);
}

/** Returns the element's name, type, addresses and similar attributes, without parts that may be secret. */
function buildElementKey(element: XmlElement): string {
  const parts: string[] = [];
  for (const { local, value } of element.attributes) {
    if (local === 'name' || local === 'type' || local === 'verifyCertificates') parts.push(`${local} ${value}`);
    if (local === 'url' || local === 'alias') parts.push(`${local} ${parseConnectionTarget(value)}`);
    if (element.local === 'Login' || element.local === 'LoginStep') parts.push(...listLoginDestinations(local, value));
    if (local === 'value') parts.push(value.slice(0, getPublicPrefixLength(element, value)));
    if (local === 'value' && element.local.startsWith('apply-')) parts.push(value);
  }
  if (element.local === 'Sink') parts.push(...listDescendants(element).filter(affectsDestination).map(buildContentKey));
  return `[${parts.join(' ')}]`;
}

/** Lists other settings of a login that determine where its secrets are sent. */
function listLoginDestinations(local: string, value: string): string[] {
  if (['page', 'check', 'tokenUrl', 'json'].includes(local)) return [`${local} ${parseConnectionTarget(value)}`];
  return ['sendTo', 'insecure', 'header'].includes(local) ? [`${local} ${value}`] : [];
}

/**
 * Returns where a connection to the address really goes, according to a URL parser, because its appearance can be
 * misleading (`http://other?@known/`).
 */
function parseConnectionTarget(text: string): string {
  const url = URL.parse(text);
  if (url && url.host !== '') return `${url.protocol}//${url.host}${url.pathname}`;
  return `as written ${replaceRanges(text, findUserInfoRanges(text), '')}`;
}

/** Other settings that determine who can read what a crawl sends. */
interface Destinations {
  /** Proxies and certificates of all fetchers and conditions. */
  readonly routes: string;
  /** Start URLs of the crawls: secrets without a URL of their own are sent to all of these sites. */
  readonly roots: string;
}

function findDestinations({ root }: XmlDocument): Destinations {
  const elements = listDescendants(root);
  const crawlElements = elements
    .filter(({ local }) => local === 'Fetcher' || local === 'Crawler')
    .flatMap(listDescendants);
  return {
    routes: [...new Set(crawlElements.filter(affectsDestination).map(buildContentKey))].sort().join(' '),
    roots: [...new Set(elements.filter(({ local }) => local === 'Root').map(buildElementKey))].sort().join(' '),
  };
}

function buildDestinationKey(path: string, { local, attributes }: XmlElement, { routes, roots }: Destinations): string {
  if (path.includes('/Sink[')) return '';
  const hasUrl = attributes.some((attribute) => attribute.local === 'url');
  const isSentToRoots = local === 'option' || (local === 'Header' && !hasUrl);
  return ` by ${routes}${isSentToRoots ? ` to ${roots}` : ''}`;
}

const listDescendants = (element: XmlElement): XmlElement[] =>
  element.children.flatMap((child) => [child, ...listDescendants(child)]);

const affectsDestination = (element: XmlElement): boolean =>
  ['Proxy', 'CertificateAuthority', 'ClientCertificate'].includes(element.local) ||
  (element.local === 'option' && getNameAttribute(element) === 'proxy');

const redactPrivateKeys = (text: string): string => replaceRanges(text, findPrivateKeyRanges(text), PLACEHOLDER);

/** Returns the element with all attributes except secret ones, and its text, which may be a certificate. */
function buildContentKey(element: XmlElement): string {
  const attributes = element.attributes
    .filter((attribute) => !isSecret(element, attribute))
    .map(({ local, value }) => `${local} ${parseConnectionTarget(value)}`);
  return `${element.local}[${attributes.join(' ')} ${redactPrivateKeys(element.text)}]`;
}
