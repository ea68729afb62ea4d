import { expect, it } from 'vitest';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import type { ServerDefinition } from '../../../domain/crawl/definition.js';
import { SOLE_OWNER } from '../../support/single-node.js';
import { type LoginServices, Logins } from './logins.js';

const fetcher = (name: string, ...logins: string[]) => ({
  name,
  logins: logins.map((login) => ({ name: login, url: `http://${login}.example/`, type: 'basic', maxLoginsPerHour: 5 })),
});
const server = (...fetchers: object[]) => ({ fetchers }) as unknown as ServerDefinition;

it('pages get their login also while what is stored of a new one is read', async () => {
  let read: () => void = () => undefined;
  const stored = new Promise<undefined>((resolve) => {
    read = () => resolve(undefined);
  });
  const store = { getSetting: (name: string) => (name === 'login:new' ? stored : Promise.resolve(undefined)) };
  const services = { store, clock: new ManualClock(), createLogin: () => ({}), partitions: SOLE_OWNER };
  const logins = new Logins(services as unknown as LoginServices);
  const find = (name: string) => logins.find(`of-${name}`, `http://${name}.example/page`, undefined)?.name;
  await logins.configure(server(fetcher('of-old', 'old')));
  const configuring = logins.configure(server(fetcher('of-new', 'new'), fetcher('of-old', 'old')));
  expect(find('old')).toBe('old');
  read();
  await configuring;
  expect([find('old'), find('new')]).toEqual(['old', 'new']);
});
