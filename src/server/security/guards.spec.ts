import { RequestMethod } from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/constants.js';
import { describe, expect, it } from 'vitest';
import { CONTROLLERS } from '../app.module.js';
import { ROLE_KEY, WRITES_KEY } from '../http/operation.js';
import {
  findCaller,
  findCrawlers,
  findHighestGrant,
  formatGrant,
  parseApiKeys,
  parseGrant,
  ROLES,
  type Role,
} from './api-keys.js';

const calls = CONTROLLERS.flatMap((controller) =>
  Object.entries(Object.getOwnPropertyDescriptors(controller.prototype))
    .filter(([, { value }]) => typeof value === 'function' && Reflect.hasMetadata(METHOD_METADATA, value))
    .map(([name, { value }]) => ({
      name: `${controller.name}.${name}`,
      method: Reflect.getMetadata(METHOD_METADATA, value) as RequestMethod,
      role: Reflect.getMetadata(ROLE_KEY, value) as string | undefined,
      writes: Reflect.getMetadata(WRITES_KEY, value) !== false,
    })),
);

describe('access to the API', () => {
  it('is declared for every call, and public only for the health probes and the receivers of signals', () => {
    expect(calls.length).toBeGreaterThan(40);
    expect(calls.filter(({ role }) => role === undefined)).toEqual([]);
    const open = calls.filter(({ role }) => role === 'open').map(({ name }) => name);
    const sites = ['IndexNowController.submitMany', 'IndexNowController.submitOne', 'KeyDirectoryController.listKeys'];
    const hubs = ['WebSubController.confirmSubscription', 'WebSubController.notifyChange'];
    const people = ['beginSignIn', 'finishSignIn', 'getProvider', 'signOut'].map((name) => `SignInController.${name}`);
    expect(open.sort()).toEqual([
      'HealthController.getLiveness',
      'HealthController.getReadiness',
      ...sites,
      ...people,
      ...hubs,
    ]);
  });

  it('never allows writing with the read-only role', () => {
    const writes = calls.filter(
      ({ method, role, writes }) => method !== RequestMethod.GET && writes && role === 'read',
    );
    expect(writes).toEqual([]);
  });

  it('is limited to admins where the configuration, a secret or a crawler is changed or tried, and where the audit log is read', () => {
    const admins = calls.filter(({ role }) => role === 'admin').map(({ name }) => name);
    expect(admins.sort()).toEqual([
      'AuditController.list',
      'ConfigurationController.check',
      'ConfigurationController.lookAtPage',
      'ConfigurationController.preview',
      'ConfigurationController.replace',
      'ConfigurationController.testSubmittedSink',
      'FormerCrawlersController.remove',
      'FormerCrawlersController.rename',
      'KeysController.create',
      'KeysController.list',
      'KeysController.revoke',
      'RulesController.insert',
      'RulesController.move',
      'RulesController.preview',
      'RulesController.remove',
      'RulesController.replace',
      'SecretsController.list',
      'SecretsController.put',
      'SecretsController.remove',
      'VersionsController.restore',
      'WeightsController.set',
    ]);
  });

  it('increases with the role', () => {
    const may = (role: Role) =>
      ROLES.filter((needed) => findCrawlers({ name: 'x', grants: [{ role }] }, needed) === 'all');
    expect(ROLES.map(may)).toEqual([['read'], ['read', 'operate'], ['read', 'operate', 'admin']]);
  });

  it('may be limited to crawlers, and be another one for the rest', () => {
    const grants = ['read', 'admin@hr+wiki%2B'].map((text) => parseGrant(text)!);
    expect(grants.map(formatGrant)).toEqual(['read', 'admin@hr+wiki%2B']);
    const caller = { name: 'x', grants };
    expect(findCrawlers(caller, 'read')).toBe('all');
    expect(findCrawlers(caller, 'operate')).toEqual(new Set(['hr', 'wiki+']));
    expect(findCrawlers({ name: 'x', grants: [{ role: 'read', crawlers: ['hr'] }] }, 'operate')).toBeUndefined();
    expect(findHighestGrant(caller)).toEqual({ role: 'admin', crawlers: ['hr', 'wiki+'] });
    for (const text of ['', 'root', 'root@hr', 'read@', 'read@hr+', 'read@hr@wiki', 'read@%', 'READ'])
      expect(parseGrant(text)).toBeUndefined();
    const [key] = parseApiKeys('hr:operate@hr:0123456789abcdef:x');
    expect(key).toMatchObject({ name: 'hr', role: 'operate', crawlers: ['hr'] });
    expect(findCaller([key!], '0123456789abcdef:x')).toMatchObject({ name: 'hr' });
    expect(() => parseApiKeys('hr:operate@:0123456789abcdef')).toThrow('entry 1 has no valid role');
  });

  it('requires the complete key', () => {
    const keys = parseApiKeys('ada:admin:0123456789abcdef,bob:read:fedcba9876543210');
    expect(keys.map(({ short }) => short)).toEqual([false, false]);
    expect(findCaller(keys, '0123456789abcdef')).toEqual({ name: 'ada', grants: [{ role: 'admin' }] });
    for (const wrong of ['', '0123456789abcde', '0123456789abcdef0', '0123456789ABCDEF', 'ada']) {
      expect(findCaller(keys, wrong)).toBeUndefined();
    }
  });
});
