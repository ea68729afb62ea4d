import { RequestMethod } from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/constants.js';
import { describe, expect, it } from 'vitest';
import { CONTROLLERS } from '../app.module.js';
import { ROLE_KEY } from '../http/operation.js';
import { type Caller, findCaller, mayAct, ROLES, readApiKeys } from './api-keys.js';

const calls = CONTROLLERS.flatMap((controller) =>
  Object.entries(Object.getOwnPropertyDescriptors(controller.prototype))
    .filter(([, { value }]) => typeof value === 'function' && Reflect.hasMetadata(METHOD_METADATA, value))
    .map(([name, { value }]) => ({
      name: `${controller.name}.${name}`,
      method: Reflect.getMetadata(METHOD_METADATA, value) as RequestMethod,
      role: Reflect.getMetadata(ROLE_KEY, value) as string | undefined,
    })),
);

describe('access to the API', () => {
  it('is declared for every call, and open for the health probes alone', () => {
    expect(calls.length).toBeGreaterThan(40);
    expect(calls.filter(({ role }) => role === undefined)).toEqual([]);
    const open = calls.filter(({ role }) => role === 'open').map(({ name }) => name);
    expect(open).toEqual(['HealthController.live', 'HealthController.ready']);
  });

  it('lets nobody write with the role that only reads', () => {
    const writes = calls.filter(({ method, role }) => method !== RequestMethod.GET && role === 'read');
    expect(writes).toEqual([]);
  });

  it('rises with the role', () => {
    const may = (role: Caller['role']) => ROLES.filter((needed) => mayAct({ name: 'x', role }, needed));
    expect(ROLES.map(may)).toEqual([['read'], ['read', 'operate'], ['read', 'operate', 'admin']]);
  });

  it('is given to the whole key and nothing less', () => {
    const keys = readApiKeys('ada:admin:0123456789abcdef,bob:read:fedcba9876543210');
    expect(findCaller(keys, '0123456789abcdef')).toEqual({ name: 'ada', role: 'admin' });
    for (const wrong of ['', '0123456789abcde', '0123456789abcdef0', '0123456789ABCDEF', 'ada']) {
      expect(findCaller(keys, wrong)).toBeUndefined();
    }
  });
});
