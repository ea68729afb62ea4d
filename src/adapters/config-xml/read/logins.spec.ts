import { expect, it } from 'vitest';
import { authority } from '../../../../test/support/certificates.js';
import { readConfiguration } from '../read.js';

const trusted = authority('Test Authority');
const one = trusted.issue(['robot']);
const other = trusted.issue(['other']);
const FILES: Readonly<Record<string, string>> = {
  'robot.pem': one.cert,
  'other.key': other.key,
  'notes.txt': 'not a key',
};

/** Errors of a configuration that has the login on line 3. */
function faultsOf(login: string) {
  const { problems } = readConfiguration(
    `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1"><Crawler name="a"/>
<cw:Fetcher name="default">
<cw:Login name="site" url="https://intranet.test/" ${login}/>
</cw:Fetcher></CrawlConfig>`,
    {
      file: 'CrawlConfig.xml',
      env: {},
      readFile: (name) => {
        const text = FILES[name];
        if (text === undefined) throw new Error(`no file ${name}`);
        return text;
      },
    },
  );
  return problems
    .filter(({ severity, code }) => severity === 'error' && code !== 'missing-package')
    .map(({ place, message }) => `${place.line}: ${message}`);
}

it.each([
  [
    'a keytab that is not there',
    'type="negotiate" keytab="robot.keytab"',
    'the file robot.keytab cannot be read; its path is relative to the folder of CrawlConfig.xml',
  ],
  [
    'a file that is no keytab',
    'type="negotiate" keytab="notes.txt"',
    'login site: notes.txt is not a keytab: specify one created by kadmin or ktutil',
  ],
  [
    'a certificate that is not there',
    'type="certificate" certificate="none.pem" key="other.key"',
    'the file none.pem cannot be read; its path is relative to the folder of CrawlConfig.xml',
  ],
  [
    'a key that is none',
    'type="certificate" certificate="robot.pem" key="notes.txt"',
    'login site: the private key notes.txt cannot be read: provide a key in PEM form, and its passphrase if it has one',
  ],
  [
    'a key of another certificate',
    'type="certificate" certificate="robot.pem" key="other.key"',
    'login site: the certificate robot.pem cannot be used with the key other.key: provide a matching pair in PEM form',
  ],
])('%s is an error with its place', (_what, login, message) => expect(faultsOf(login)).toEqual([`3: ${message}`]));
