import { describe, expect, it } from 'vitest';
import { pushDocument } from '../../../test/support/push-orders.js';
import { type Sink, SinkUnavailable } from '../ports/sink.js';
import { KeptDocuments } from './kept-documents.js';

describe('documents that a sink is asked for together', () => {
  const found = async (bad: readonly string[], uris = ['a', 'b', 'c', 'd', 'e']) => {
    const sink: Sink = {
      name: 'main',
      close: async () => undefined,
      deliver: async () => [],
      readDocuments: async (asked) => {
        if (asked.some((uri) => bad.includes(uri))) throw new SinkUnavailable('too large');
        return asked.map((uri) => ({ crawler: 'docs', document: pushDocument(uri) }));
      },
    };
    const kept = new KeptDocuments(() => sink);
    const documents = await Promise.all(uris.map((uri) => kept.find('main', uri)));
    return documents.flatMap((one) => one?.document.uri ?? []);
  };

  it('are returned without the one that cannot be read, whichever it is', async () => {
    expect(await found(['a'])).toEqual(['b', 'c', 'd', 'e']);
    expect(await found(['a', 'b'])).toEqual(['c', 'd', 'e']);
    expect(await found(['c', 'd', 'e'])).toEqual(['a', 'b']);
  });

  it('are waited for if none can be read', async () => {
    await expect(found(['a', 'b', 'c', 'd', 'e'])).rejects.toThrow('too large');
    await expect(found(['a', 'b'], ['a', 'b'])).rejects.toThrow('too large');
  });
});
