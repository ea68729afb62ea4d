import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { testFetcher } from '../../../test/support/fetch-harness.js';
import { computeResponses, deriveResponseKey, md4, parseChallenge } from './ntlm.js';

const hex = (text: string): Buffer => Buffer.from(text.replace(/\s/g, ''), 'hex');

/** Names of domain and server, as in MS-NLMP 4.2.4. */
const TARGET_INFO = hex('02000c0044006f006d00610069006e00 01000c005300650072007600650072000000 0000');
const CREDENTIALS = { user: 'User', password: 'Password', domain: 'Domain' };
const SERVER_CHALLENGE = hex('0123456789abcdef');

it('MD4 matches the digests of RFC 1320', () => {
  const digest = (text: string): string => md4(Buffer.from(text)).toString('hex');
  expect(digest('')).toBe('31d6cfe0d16ae931b73c59d7e0c089c0');
  expect(digest('abc')).toBe('a448017aaf21d8525fc10ae87aa6729d');
  expect(digest('12345678901234567890123456789012345678901234567890123456789012345678901234567890')).toBe(
    'e33b4ddc9c38f2199c3e7b164fcc0536',
  );
});

it('the responses match the example of MS-NLMP 4.2.4', () => {
  expect(deriveResponseKey(CREDENTIALS).toString('hex')).toBe('0c868a403bfd7a93a3001ef22ef02e3f');
  const challenge = { serverChallenge: SERVER_CHALLENGE, targetInfo: TARGET_INFO };
  const { nt, lm } = computeResponses(challenge, CREDENTIALS, { clientChallenge: hex('aaaaaaaaaaaaaaaa'), time: 0n });
  expect(nt.subarray(0, 16).toString('hex')).toBe('68cd0ab851e51c96aabc927bebef6a1c');
  expect(lm.toString('hex')).toBe('86c35097ac9cec102554764a57cccc19aaaaaaaaaaaaaaaa');
});

it('a user name is in upper case as Windows knows it, letter by letter', () => {
  const keyOf = (user: string): string => deriveResponseKey({ ...CREDENTIALS, user }).toString('hex');
  expect(keyOf('jörg')).toBe(keyOf('JÖRG'));
  expect(keyOf('groß')).toBe(keyOf('GROß'));
  expect(keyOf('groß')).not.toBe(keyOf('gross'));
});

it.each(['', 'NTLM', 'NTLM AAAA', `NTLM ${Buffer.alloc(60).toString('base64')}`])(
  'a header without a challenge is ignored: %s',
  (header) => expect(parseChallenge(header)).toBeUndefined(),
);

function challengeMessage(): string {
  const head = Buffer.alloc(48);
  head.write('NTLMSSP\0', 'latin1');
  head.writeUInt32LE(2, 8);
  SERVER_CHALLENGE.copy(head, 24);
  head.writeUInt16LE(TARGET_INFO.length, 40);
  head.writeUInt32LE(48, 44);
  return Buffer.concat([head, TARGET_INFO]).toString('base64');
}

/** Serves connections that are logged in, and counts the messages on the others. */
async function ntlmServer() {
  const loggedIn = new Set<Socket>();
  const asked: string[] = [];
  let closesNext = false;
  const server = createServer((request, response) => {
    const { socket } = request;
    const message = Buffer.from(/^NTLM (.+)/.exec(request.headers.authorization ?? '')?.[1] ?? '', 'base64');
    const type = message.length > 12 ? message.readUInt32LE(8) : 0;
    if (closesNext) {
      closesNext = false;
      return socket.destroy();
    }
    asked.push(loggedIn.has(socket) ? 'page' : String(type));
    if (loggedIn.has(socket)) return response.end('hello');
    if (type === 3) {
      const nt = message.subarray(message.readUInt32LE(24), message.readUInt32LE(24) + message.readUInt16LE(20));
      const moment = { clientChallenge: nt.subarray(32, 40), time: nt.readBigUInt64LE(24) };
      const wanted = computeResponses(
        { serverChallenge: SERVER_CHALLENGE, targetInfo: TARGET_INFO },
        CREDENTIALS,
        moment,
      );
      if (wanted.nt.equals(nt)) {
        loggedIn.add(socket);
        return response.end('hello');
      }
    }
    response.writeHead(401, { 'www-authenticate': type === 1 ? `NTLM ${challengeMessage()}` : 'NTLM' });
    return response.end('who are you?');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asked,
    forget: () => loggedIn.clear(),
    closeAtNextRequest: () => {
      closesNext = true;
    },
  };
}

it('a connection logs in once, and is used for its own login only', async () => {
  const { url, asked } = await ntlmServer();
  const fetcher = testFetcher();
  const ask = (session: object) => fetcher.fetch({ url, fetcher: 'default', session });
  const mine = { login: 'mine', ntlm: CREDENTIALS };
  expect(await ask(mine)).toMatchObject({ status: 200 });
  expect(await ask(mine)).toMatchObject({ status: 200 });
  expect(asked).toEqual(['1', '3', 'page']);
  expect(await ask({ ...mine, ntlm: { ...CREDENTIALS, password: 'renewed' } })).toMatchObject({ status: 401 });
  expect(await ask({ login: 'other', ntlm: { ...CREDENTIALS, password: 'wrong' } })).toMatchObject({ status: 401 });
  expect(await ask({})).toMatchObject({ status: 401 });
});

it('a login is repeated when the server has closed its connection, or has forgotten it', async () => {
  const { url, asked, forget, closeAtNextRequest } = await ntlmServer();
  const fetcher = testFetcher();
  const ask = () => fetcher.fetch({ url, fetcher: 'default', session: { login: 'mine', ntlm: CREDENTIALS } });
  expect(await ask()).toMatchObject({ status: 200 });
  closeAtNextRequest();
  expect(await ask()).toMatchObject({ status: 200 });
  expect(asked).toEqual(['1', '3', '1', '3']);
  forget();
  expect(await ask()).toMatchObject({ status: 200 });
  expect(asked.slice(4)).toEqual(['0', '1', '3']);
});
