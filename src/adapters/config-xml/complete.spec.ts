import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { authority } from '../../../test/support/certificates.js';
import { Secret } from '../../domain/secret.js';
import { parseDocument, type XmlElement } from './document.js';
import { setCrawlerAttributes } from './edit/crawler.js';
import { findCanonicalAttributeName } from './interpret.js';
import { replaceLiteralSecrets } from './literal-secrets.js';
import { readConfiguration } from './read.js';
import { URL_OPTIONS } from './schema/policy.js';
import { ELEMENTS, getElementSpec } from './schema.js';
import { applySplices } from './splice.js';

/**
 * A configuration that contains every element and every attribute of the table, with a value other than its default.
 */
const COMPLETE = readFileSync(new URL('./complete.fixture.xml', import.meta.url), 'utf8');

const CLIENT = authority('client0');

const FILES: Readonly<Record<string, string>> = {
  'crawl.rules': 'forbid domain a.example\n',
  'global.rules': 'allow domain a.example\n',
  'indexer.conf': 'Period 1d\nServer http://conf.example/\n',
  'index.json': '{"settings": {}}',
  'client.pem': `${CLIENT.cert}\n${CLIENT.key}\n`,
  'client-key.pem': createPrivateKey(CLIENT.key)
    .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' })
    .toString(),
  'acl.txt': 'allow http://s/ staff\n',
  'ca.pem': '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
};

/**
 * Attributes that cannot be combined with the rest: alternatives for the browser, and those that need a package that
 * may be missing.
 */
const ELSEWHERE: ReadonlySet<string> = new Set(['Renderer url', 'Login service', 'Login principal', 'Login keytab']);

const read = (xml: string, storedSecrets?: ReadonlyMap<string, string>) =>
  readConfiguration(xml, {
    file: 'f',
    env: {},
    ...(storedSecrets ? { storedSecrets } : {}),
    readFile: (name) => {
      const text = FILES[name];
      if (text === undefined) throw new Error(name);
      return text;
    },
  });

/** The definition without places, which every change moves, and with secrets, which it does not print by default. */
const meaning = (xml: string, storedSecrets?: ReadonlyMap<string, string>): string =>
  JSON.stringify(read(xml, storedSecrets).definition, function (this: Record<string, unknown>, key, value) {
    const whole = this[key];
    return key === 'place' ? undefined : whole instanceof Secret ? whole.reveal() : value;
  });

const elements = (element: XmlElement): XmlElement[] => [element, ...element.children.flatMap(elements)];
const document = parseDocument(COMPLETE, 'f');
const written = elements(document.root).flatMap((element) =>
  element.attributes
    .filter(({ prefix, name }) => prefix !== 'xmlns' && name !== 'xmlns')
    .map((attribute) => ({ element, attribute, title: `${element.local} ${attribute.local}="${attribute.value}"` })),
);

describe('the complete configuration', () => {
  it('is read with no problem but that it ignores robots.txt and contains secrets', () => {
    expect(read(COMPLETE).problems.map(({ code }) => code)).toEqual(['robots-ignored', 'literal-secret']);
  });

  it('means the same with a reference to a stored secret in every secret attribute', () => {
    const { texts, secrets } = replaceLiteralSecrets(new Map([['f', COMPLETE]]), read(COMPLETE).literalSecrets);
    const xml = texts.get('f') as string;
    const values = elements(parseDocument(xml, 'f').root).flatMap((element) =>
      element.attributes
        .filter(({ local }) => ELEMENTS.get(element.local)?.attributes[local]?.secret)
        .map(({ value }) => value),
    );
    expect(values.length).toBeGreaterThan(15);
    expect(values.filter((value) => !/^\$\{secret:[a-z\d-]+\}$/.test(value))).toEqual([]);
    const stored = new Map(secrets.map(({ name, value }) => [name, value]));
    expect(meaning(xml, stored)).toBe(meaning(COMPLETE));
    for (const { name } of secrets)
      expect(read(xml, new Map([...stored].filter(([other]) => other !== name))).definition, name).toBeUndefined();
  });

  it('has every element and every attribute of the table', () => {
    const table = [...ELEMENTS.values()].flatMap(({ name, attributes }) =>
      Object.keys(attributes).map((attribute) => `${name} ${attribute}`),
    );
    const used = written.map(
      ({ element, attribute }) =>
        `${element.local} ${findCanonicalAttributeName(attribute.local, getElementSpec(element.local))}`,
    );
    expect(table.filter((name) => !used.includes(name) && !ELSEWHERE.has(name))).toEqual([]);
    const tags = elements(document.root).map(({ local }) => local);
    expect([...ELEMENTS.keys()].filter((name) => !tags.includes(name))).toEqual([]);
    const options = written.filter(
      ({ element, attribute }) => element.local === 'option' && attribute.local === 'name',
    );
    expect(
      Object.keys(URL_OPTIONS).filter((name) => !options.some(({ attribute }) => attribute.value === name)),
    ).toEqual([]);
  });

  it('differs when any attribute is removed', () => {
    const whole = meaning(COMPLETE);
    const dead = written.filter(({ attribute }) => {
      const without = applySplices(COMPLETE, [{ start: attribute.start, end: attribute.end, text: '' }]);
      return meaning(without) === whole;
    });
    expect(dead.map(({ title }) => title)).toEqual([]);
  });

  it('reflects the value of every attribute of a crawler', () => {
    const [crawler] = document.root.children;
    const attributes = Object.fromEntries((crawler?.attributes ?? []).map(({ name, value }) => [name, value]));
    const bare = COMPLETE.replace(/<Crawler [^>]*>/, '<Crawler name="all">');
    expect(meaning(bare)).not.toBe(meaning(COMPLETE));
    expect(meaning(setCrawlerAttributes(bare, 'all', attributes))).toBe(meaning(COMPLETE));
  });
});
