import { afterEach, describe, expect, it } from 'vitest';
import { days, minutes } from '../../../src/domain/time/units.js';
import { BadDay, FAULTS } from '../../support/bad-day.js';

const DOCUMENTS = 15;
const MOST_DELETIONS = 5;
const GUARD = `<cw:DeletionGuard maxDeletions="${MOST_DELETIONS}"/>`;

describe('the deletion guard', () => {
  let day: BadDay;
  afterEach(async () => {
    expect(day.world.errors).toEqual([]);
    await day.close();
  });

  it.each(FAULTS)('%s: nothing is deleted, and the site is complete again when it responds', async (fault) => {
    day = await BadDay.start(DOCUMENTS, { inside: GUARD });
    const { left } = await day.spend(fault);
    expect(left).toBe(DOCUMENTS);
    await day.recover(fault);
    expect(await day.held()).toBe(0);
    expect(await day.world.indexed()).toHaveLength(DOCUMENTS);
  });

  it('slow failures are held too: once deletions are held, further ones are held with them', async () => {
    day = await BadDay.start(DOCUMENTS, { inside: GUARD });
    const { left } = await day.spend('answers 500');
    expect(left).toBe(DOCUMENTS);
    // All waits for a sign of life have ended by then.
    await day.world.pass(days(4));
    const later = { left: (await day.world.indexed()).length, held: await day.held() };
    expect(later).toEqual({ left: DOCUMENTS - MOST_DELETIONS, held: DOCUMENTS - MOST_DELETIONS });
  });

  it('held deletions that an operator releases go out', async () => {
    day = await BadDay.start(DOCUMENTS, { inside: GUARD });
    const { held } = await day.spend('answers 500');
    expect(held).toBeGreaterThan(MOST_DELETIONS);
    const [group] = await day.world.engine.orders.listHeldDeletions();
    expect(group).toMatchObject({ crawler: 'test', count: held, reasons: { 'http-5xx': held } });
    expect(await day.world.engine.orders.releaseHeldDeletions(group!.hostKey)).toBe(held);
    await day.world.pass(minutes(5));
    expect(await day.world.indexed()).toHaveLength(DOCUMENTS - held);
    await day.recover('answers 500');
    expect(await day.world.indexed()).toHaveLength(DOCUMENTS);
  });

  it('held deletions that an operator drops leave the documents', async () => {
    day = await BadDay.start(DOCUMENTS, { inside: GUARD });
    const { left, held } = await day.spend('answers 500');
    expect(
      await day.world.engine.orders.dropHeldDeletions((await day.world.engine.orders.listHeldDeletions())[0]!.hostKey),
    ).toBe(held);
    await day.world.pass(minutes(5));
    expect(await day.world.indexed()).toHaveLength(left);
    const dropped = await day.world.engine.orders.list({ state: 'dropped' }, undefined, 1_000);
    expect(dropped).toHaveLength(held);
  });

  it.each(FAULTS)('a small site that %s keeps its documents, although it cannot exceed the limits', async (fault) => {
    day = await BadDay.start(20);
    const { left, held } = await day.spend(fault);
    expect(left).toBeGreaterThanOrEqual(20 - 3);
    if (fault === 'answers 500') expect(held).toBe(left);
    await day.recover(fault);
    expect(await day.held()).toBe(0);
    expect(await day.world.indexed()).toHaveLength(20);
  });

  it('a site that is down for days, each page given up after its own retries, loses no more than the limits allow', async () => {
    day = await BadDay.start(20);
    await day.spend('refuses connections');
    await day.world.pass(days(3));
    expect({ left: (await day.world.indexed()).length, held: await day.held() }).toEqual({ left: 17, held: 17 });
    await day.recover('refuses connections');
    expect(await day.world.indexed()).toHaveLength(20);
  });

  it('a small site that is taken down page by page is deleted at once', async () => {
    day = await BadDay.start(20);
    const { left, held } = await day.spend('answers 410');
    expect({ left, held }).toEqual({ left: 0, held: 0 });
  });

  it('without the guard every deletion goes out at once', async () => {
    day = await BadDay.start(DOCUMENTS, { attributes: 'deletionGuard="off"' });
    const { left, held } = await day.spend('answers 500');
    expect({ left, held }).toEqual({ left: 0, held: 0 });
  });
});
