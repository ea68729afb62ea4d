/** What is secret of a configuration is a Secret from the reader on, and is opened where it leaves the process. */
import { globSync, readFileSync } from 'node:fs';
import { format, inspect } from 'node:util';
import { expect, it } from 'vitest';
import { readConfiguration } from '../src/adapters/config-xml/read.js';
import { packSecrets, unpackSecrets } from '../src/adapters/threads/secrets-across.js';
import { isSameDefinition } from '../src/domain/secret.js';

const PLANTED = 'pLaNtEd';
let planted = 0;
const secret = (): string => `${PLANTED}${++planted}`;

const XML = `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
  <Crawler name="docs" defaultAccept="true">
    <Root url="http://a.example/"/>
    <cw:Servers file="indexer.conf"><cw:Parameters authentication="u:${secret()}"/>
      <cw:Server url="http://a.example/"/><cw:Server url="http://b.example/" authentication="u:${secret()}"/></cw:Servers>
    <cw:Conditions><cw:option name="credentials" value="u:${secret()}"/>
      <cw:apply-for test="wildcard" value="http://c.example/*"><cw:option name="header" value="X-Api-Key: ${secret()}"/>
        <cw:option name="proxy" value="http://u:${secret()}@proxy.example:3128/"/></cw:apply-for></cw:Conditions>
    <cw:PushTo sink="papi"/>
  </Crawler>
  <cw:Fetcher name="default"><cw:Header name="Authorization" value="Bearer ${secret()}"/>
    <cw:Header name="X-Trace" value="${secret()}" url="http://a.example/"/><cw:Proxy url="http://u:${secret()}@proxy.example/"/>
    <cw:Credential url="http://a.example/" user="u" password="${secret()}"/>
    <cw:Login name="a" type="basic" url="https://a.example/" user="u" password="${secret()}"/>
    <cw:Login name="b" type="form" url="https://b.example/"><cw:LoginStep><cw:LoginField name="p" value="${secret()}"/></cw:LoginStep></cw:Login></cw:Fetcher>
  <cw:Sink name="papi" type="papi" url="http://u:${secret()}@127.0.0.1/"/>
  <cw:Sink name="json" type="json" url="http://127.0.0.1/" secret="${secret()}" login="u" password="${secret()}"/>
  <cw:Sink name="search" type="opensearch" url="http://127.0.0.1/" index="i" apiKey="${secret()}" awsSessionToken="${secret()}">
    <cw:ClientCertificate passphrase="${secret()}">-----BEGIN CERTIFICATE-----
AAAA
-----END CERTIFICATE-----
-----BEGIN PRIVATE KEY-----
${secret()}
-----END PRIVATE KEY-----</cw:ClientCertificate></cw:Sink>
  <cw:Sink name="table" type="postgresql" url="postgresql://u:${secret()}@127.0.0.1/d"/>
</CrawlConfig>`;

const FILE = `AuthBasic u:${secret()}\nServer http://d.example/\n`;
const read = (file = FILE) =>
  readConfiguration(XML, {
    file: 'CrawlConfig.xml',
    env: {},
    readFile: (name) => (name === 'indexer.conf' ? file : ''),
  });
const count = (text: string): number => text.split(PLANTED).length - 1;

it('a configuration shows none of its secrets, however it is printed', () => {
  const { definition, problems } = read();
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  const texts = [
    JSON.stringify({ definition, problems }),
    inspect(definition, { depth: null, showHidden: true, maxArrayLength: null }),
    format('%j %o %O %s', definition, definition, definition, definition),
    ...definition!.sinks.map(({ options }) => Object.values(options).join()),
    new Error('broken', { cause: definition }).stack,
    inspect(new Error('broken', { cause: definition }), { depth: null }),
    JSON.stringify(structuredClone(definition)),
  ];
  for (const text of texts) expect(text).not.toContain(PLANTED);
});

it('its secrets are complete in another thread, too, and a change of one is a change', () => {
  const { definition } = read();
  const clone = unpackSecrets(structuredClone(packSecrets(definition)));
  expect(count(JSON.stringify(packSecrets(clone)))).toBe(planted);
  expect(JSON.stringify(clone)).not.toContain(PLANTED);
  expect(isSameDefinition(clone, definition)).toBe(true);
  expect(isSameDefinition(read(FILE.replace(PLANTED, 'other')).definition, definition)).toBe(false);
});

/** Each sends it, hashes it, hides it in what others say, or hands it to another thread or the process of a plug-in. */
const OPENED_IN = [
  'src/adapters/config-xml/read/logins.ts',
  'src/adapters/http/fetcher-profile.ts',
  'src/adapters/http/message-signature.ts',
  'src/adapters/http/tunnel.ts',
  'src/adapters/plugins/running-plugin.ts',
  'src/adapters/browser/browser-login.ts',
  'src/adapters/push/aws-signer.ts',
  'src/adapters/push/discreet-sink.ts',
  'src/adapters/push/endpoint.ts',
  'src/adapters/push/json.ts',
  'src/adapters/push/kafka.ts',
  'src/adapters/push/postgresql/connections.ts',
  'src/adapters/push/sink-client.ts',
  'src/adapters/push/webhook-sender.ts',
  'src/adapters/sessions/logins/create-login.ts',
  'src/adapters/sessions/logins/digest-login.ts',
  'src/adapters/sessions/logins/form-submission.ts',
  'src/adapters/sessions/logins/oauth2-login.ts',
  'src/adapters/sessions/logins/steady-login.ts',
  'src/adapters/storage/postgres/connection.ts',
  'src/adapters/threads/secrets-across.ts',
  'src/cli/client.ts',
  'src/domain/hide-secrets.ts',
  'src/domain/secret.ts',
  'src/engine/control/policy-changes.ts',
  'src/engine/crawl/logins/logins.ts',
  'src/server/engine.module.ts',
  'src/server/sign-in/openid-provider.ts',
];

it('secrets are revealed in a few places only', () => {
  const sources = globSync('src/**/*.ts').filter((file) => !file.endsWith('.spec.ts'));
  const opening = sources.filter((file) => /\.reveal\(|\brevealText\(/.test(readFileSync(file, 'utf8')));
  const unexpected = opening.filter((file) => !OPENED_IN.includes(file));
  expect(unexpected).toEqual([]);
  expect(OPENED_IN.filter((file) => !opening.includes(file))).toEqual([]);
});
