import fc from 'fast-check';
import { expect } from 'vitest';
import type { PushDocument, PushOrder } from '../../src/domain/push/order.js';
import { deliverApart } from '../../src/engine/delivery/deliver-apart.js';
import type { Sink } from '../../src/engine/ports/sink.js';
import { addOrder, deleteOrder, pushDocument, stillWanted } from './push-orders.js';

const tooLong = (): never => {
  throw new RangeError('Invalid string length');
};

const withMeta = (uri: string, ...metas: PushDocument['metas']): PushDocument => {
  const document = pushDocument(uri);
  return { ...document, metas: [...document.metas, ...metas] };
};

/** Documents that become longer than a string can be as soon as a sink reads them, or a part of them that not all sinks read; and those with content that engines may refuse. */
const UNSENDABLE = {
  document: () => new Proxy({} as PushDocument, { get: tooLong }),
  text: (uri: string) => Object.defineProperty({ ...pushDocument(uri) }, 'text', { get: tooLong, enumerable: true }),
  metas: (uri: string) => Object.defineProperty({ ...pushDocument(uri) }, 'metas', { get: tooLong, enumerable: true }),
  'a value that is no text': (uri: string) => withMeta(uri, { name: 'size', value: 10n as never }),
  'halves of characters': (uri: string) => ({
    ...withMeta(uri, { name: 'a\ud800', value: '\udc00b' }),
    text: 'c\ud800',
  }),
  'names that mean something to machines': (uri: string) =>
    withMeta(
      uri,
      ...['__proto__', 'constructor', 'a.b..c', '', 'x\0y', 'n'.repeat(40_000)].map((name) => ({ name, value: 'x' })),
    ),
};

const orders = fc.array(fc.record({ page: fc.nat(30), isDeletion: fc.boolean(), long: fc.boolean() }), {
  minLength: 1,
  maxLength: 12,
});
const unsendable = fc.constantFrom(...(Object.keys(UNSENDABLE) as (keyof typeof UNSENDABLE)[]));

let batches = 0;

/**
 * Of random orders with one that cannot be encoded, that one is refused with the reason, and the sink has carried out all others.
 * @param holds the URIs of the documents that the sink has; absent if only its answers tell
 */
export function expectOneRefused(sink: Sink, holds?: () => Promise<ReadonlySet<string>>): Promise<void> {
  return fc.assert(
    fc.asyncProperty(orders, fc.nat(12), unsendable, async (choices, place, part) => {
      const site = `http://site${++batches}.example`;
      const batch = [...new Map(choices.map((choice) => [choice.page, choice])).values()].map(
        ({ page, isDeletion, long }): PushOrder =>
          isDeletion
            ? deleteOrder(`${site}/${page}`)
            : addOrder(`${site}/${page}`, long ? { text: 'reeds '.repeat(2_000) } : {}),
      );
      const uri = `${site}/unsendable`;
      const bad: PushOrder = { ...addOrder(uri), document: UNSENDABLE[part](uri) } as PushOrder;
      const index = Math.min(place, batch.length);
      batch.splice(index, 0, bad);
      const answers = await deliverApart(sink, batch, stillWanted());
      const message = expect.stringContaining(part === 'document' ? 'cannot be sent: Invalid string length' : '');
      const refusal = { state: 'refused', message, unsendable: true };
      if (part === 'document' || answers[index]!.state === 'refused') expect(answers[index]).toEqual(refusal);
      expect(answers.filter((_, i) => i !== index)).toEqual(batch.slice(1).map(() => ({ state: 'acknowledged' })));
      if (!holds) return;
      const own = [...(await holds())].filter((held) => held.startsWith(`${site}/`) && held !== uri);
      const added = batch.filter(({ kind, uri: added }) => kind === 'add' && added !== uri);
      expect(own.sort()).toEqual(added.map((order) => order.uri).sort());
    }),
    { numRuns: 15 },
  );
}
