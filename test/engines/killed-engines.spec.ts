import { expect, it, onTestFinished } from 'vitest';
import { ElasticsearchSink } from '../../src/adapters/push/elasticsearch.js';
import { getDialect } from '../../src/adapters/push/elasticsearch-schema.js';
import { runKills } from '../support/kill-world.js';
import { describeUnless } from '../support/left-out.js';
import { heldBy, sinkDefinition } from '../support/push-orders.js';
import { givenUrl, RELEASES, searchEngineIsMissing, startSearchEngine } from './support/search-engine.js';

/** In turns: the server, then the engine. */
const KILLS = Number(process.env['CRAWLWAY_TEST_KILLS'] ?? 4);
const INDEX = 'kills';

for (const release of RELEASES) {
  const { type, version } = release;
  const missing = searchEngineIsMissing(type, release) ?? (givenUrl(type) && 'it is not a server of the tests');
  describeUnless(missing, `${getDialect(type).product} ${version}, killed in turns with the server`, () => {
    it(`holds exactly the site, which changed meanwhile, after ${KILLS} kills`, async () => {
      const engine = await startSearchEngine(type, release);
      onTestFinished(() => engine.close());
      const sink = new ElasticsearchSink(sinkDefinition({ type, url: engine.url, options: { index: INDEX } }));
      onTestFinished(() => sink.close());
      const report = await runKills({
        kills: KILLS,
        pages: 60,
        longestLife: 100,
        patience: 120_000,
        engine: {
          url: engine.url,
          sink: `type="${type}" index="${INDEX}"`,
          killAndRestart: async () => {
            await engine.process!.kill();
            await engine.process!.restart();
          },
          indexed: async () => {
            await engine.call('GET', `_cluster/health/${INDEX}?wait_for_status=yellow&timeout=60s`);
            return new Map((await heldBy(sink)).map((line) => line.split(' ') as [string, string]));
          },
        },
      });
      expect(report.differences).toEqual([]);
      expect(report.changesOfTheSite).toBeGreaterThan(100);
    }, 900_000);
  });
}
