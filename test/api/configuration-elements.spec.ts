import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApiWorld } from './api-world.js';

let world: ApiWorld;

beforeAll(async () => {
  world = await ApiWorld.start();
});
afterAll(() => world.stop());

it('the elements of the configuration are described as forms need them', async () => {
  const { body } = await world.get('config/elements');
  const of = (name: string) => body.items.find((one: { name: string }) => one.name === name);
  expect(of('CrawlConfig').children).toContain('Sink');
  const attribute = (element: string, name: string) =>
    of(element).attributes.find((one: { name: string }) => one.name === name);
  expect(attribute('Crawler', 'throttleTimeMS')).toMatchObject({ default: '2500', unit: 'ms', required: false });
  expect(attribute('Crawler', 'render').choices).toEqual(['never', 'auto', 'always']);
  expect(attribute('Sink', 'password').secret).toBe(true);
  expect(attribute('Root', 'url').required).toBe(true);
  expect(of('Sink').namespace).toBe('urn:crawlway:config:1');
});
