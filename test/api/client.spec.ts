import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiProblem, type CrawlerDto, CrawlwayClient } from '../../client/index.js';
import { ApiWorld } from './api-world.js';

const READER = '0123456789abcdef0123456789abcdef';

describe('the client of the package', () => {
  let world: ApiWorld;
  const client = (key?: string) => new CrawlwayClient({ server: `${world.server.url}/`, key });

  beforeAll(async () => {
    world = await ApiWorld.start({ keys: `reader:read:${READER}`, crawler: '<Root url="SITE/"/>' });
  });
  afterAll(() => world.stop());

  it('sends path, query and key, and returns the types of openapi.yaml', async () => {
    const { items } = await client(READER).call('GET /api/v1/crawlers');
    const [crawler]: readonly CrawlerDto[] = items;
    expect(crawler?.name).toBe('test');
    const url = world.site.url('/never');
    const judged = await client(READER).call('GET /api/v1/crawlers/{crawler}/explain', {
      path: { crawler: 'test' },
      query: { url, from: undefined },
    });
    expect(judged.url).toBe(url);
  });

  it('reports the error of the server, and an unreachable server', async () => {
    const failure = (call: Promise<unknown>) => call.catch((error: unknown) => error) as Promise<ApiProblem>;
    expect(await failure(client().call('GET /api/v1/crawlers'))).toMatchObject({ status: 401, name: 'ApiProblem' });
    const unknown = client(READER).call('GET /api/v1/crawlers/{crawler}', { path: { crawler: 'a/b' } });
    expect(await failure(unknown)).toMatchObject({ status: 404, detail: expect.stringContaining('a/b') });
    const nowhere = new CrawlwayClient({ server: 'http://127.0.0.1:1' });
    expect(await failure(nowhere.call('GET /api/v1/crawlers'))).toMatchObject({ status: 0 });
  });
});
