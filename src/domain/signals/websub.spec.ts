import { describe, expect, it } from 'vitest';
import { createSubscriptionForm, mayUseHub, parseHubRequest } from './websub.js';

const FEED = 'https://a.example/feed';

it.each([
  ['of the feed itself', 'https://a.example/hub', true],
  ['over another scheme', 'http://a.example/hub', true],
  ['on another port', 'https://a.example:8443/hub', false],
  ['that is allowed', 'https://hub.example/', true],
  ['below one that is allowed', 'https://eu.hub.example/', true],
  ['whose name only ends so', 'https://myhub.example/', false],
  ['that nobody allowed', 'https://b.example/', false],
  ['that is no URL', 'hub', false],
  ['that is not on the web', 'ftp://a.example/hub', false],
  ['with a user name', 'https://u@a.example/hub', false],
  ['with a password', 'https://:p@a.example/hub', false],
])('a hub %s is used: %s, %s', (_, hub, expected) => {
  expect(mayUseHub({ hub, topic: FEED }, FEED, ['other.example', 'hub.example'])).toBe(expected);
});

it('a hub is not used for a topic or a feed that is no URL, or if all three are longer than 1,000 characters', () => {
  const hub = 'https://a.example/hub';
  expect(mayUseHub({ hub, topic: 'feed' }, FEED, [])).toBe(false);
  expect(mayUseHub({ hub, topic: FEED }, 'feed', ['a.example'])).toBe(false);
  const topic = (length: number) => `${FEED}?`.padEnd(length - hub.length - FEED.length, 'x');
  expect(mayUseHub({ hub, topic: topic(1_000) }, FEED, [])).toBe(true);
  expect(mayUseHub({ hub, topic: topic(1_001) }, FEED, [])).toBe(false);
});

it('a subscription is a form', () => {
  expect(Object.fromEntries(new URLSearchParams(createSubscriptionForm('https://c.example/?a=1', FEED, 60)))).toEqual({
    'hub.callback': 'https://c.example/?a=1',
    'hub.mode': 'subscribe',
    'hub.topic': FEED,
    'hub.lease_seconds': '60',
  });
});

describe('the request of a hub', () => {
  it('has its parameters, and what is no text is empty', () => {
    const query = {
      'hub.mode': 'subscribe',
      'hub.topic': FEED,
      'hub.challenge': ['a', 'b'],
      'hub.lease_seconds': '90',
    };
    expect(parseHubRequest(query)).toEqual({ mode: 'subscribe', topic: FEED, challenge: '', leaseSeconds: 90 });
    expect(parseHubRequest({ 'hub.challenge': 'c', mode: 'x' })).toMatchObject({ mode: '', topic: '', challenge: 'c' });
  });

  it.each([
    ['1', 1],
    ['31536000', 31_536_000],
    ['31536001', 864_000],
    ['0', 864_000],
    ['-5', 864_000],
    ['soon', 864_000],
    [undefined, 864_000],
  ])('has a lease of %s: %s s, ten days if it is not from a second to a year', (lease, expected) => {
    expect(parseHubRequest({ 'hub.lease_seconds': lease }).leaseSeconds).toBe(expected);
  });
});
