import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { addOrder, sinkDefinition, stillWanted } from '../../../test/support/push-orders.js';
import { startReceiver } from '../../../test/support/receivers/http-receiver.js';
import { createSink } from './create-sink.js';
import { createGuardedLookup, requireAllowed } from './endpoint.js';

const lookup = promisify(createGuardedLookup([])) as unknown as (host: string, options: object) => Promise<unknown>;

async function deliverTo(url: string, allowedAddresses: string[] = []): Promise<unknown> {
  const sink = createSink(sinkDefinition({ type: 'json', url, allowedAddresses }));
  onTestFinished(() => sink.close());
  return sink.deliver([addOrder('http://a/')], stillWanted());
}

describe('the address of a sink', () => {
  it.each(['127.0.0.1', 'localhost'])('may be on this machine, at %s', async (host) => {
    const receiver = await startReceiver(() => ({ status: 200 }));
    const url = receiver.url.replace('127.0.0.1', host);
    expect(await deliverTo(url)).toEqual([{ state: 'acknowledged' }]);
  });

  it.each([
    'http://10.1.2.3/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[fd00::1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://0x0a000001/',
    'http://0.0.0.0/',
  ])('may not be at %s unless it is allowed', async (url) => {
    await expect(deliverTo(url)).rejects.toThrow(/neither loopback nor public; .*AllowAddress/);
  });

  it('is not connected to by a Kafka client either', async () => {
    const sink = createSink(sinkDefinition({ type: 'kafka', url: 'kafka://10.1.2.3:9092', options: { topic: 't' } }));
    onTestFinished(() => sink.close());
    await expect(sink.deliver([addOrder('http://a/')], stillWanted())).rejects.toThrow('neither loopback nor public');
  });

  it('may be in a block that the operator allows', async () => {
    const receiver = await startReceiver(() => ({ status: 200 }));
    const url = receiver.url.replace('127.0.0.1', '0.0.0.0');
    expect(await deliverTo(url, ['0.0.0.0/32'])).toEqual([{ state: 'acknowledged' }]);
  });

  it('may not be one of several of which another is not allowed, where a client chooses by itself', () => {
    requireAllowed('broker', ['8.8.8.8', '127.0.0.1', '10.0.0.1'], ['10.0.0.0/8']);
    expect(() => requireAllowed('broker', ['8.8.8.8', '10.0.0.1'], [])).toThrow(
      'broker (8.8.8.8, 10.0.0.1) is neither',
    );
  });

  it('is checked when its name is resolved for a connection', async () => {
    expect(await lookup('localhost', { all: true })).toContainEqual({ address: '127.0.0.1', family: 4 });
    await expect(lookup('0.0.0.0', { all: true })).rejects.toThrow(/neither loopback nor public/);
    await expect(lookup('10.1.2.3', {})).rejects.toThrow(/neither loopback nor public/);
  });
});
