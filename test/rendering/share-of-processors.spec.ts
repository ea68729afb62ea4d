/** What rendering may take of the processors, in a real browser. Left out where there is no Chromium. */
import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { afterEach, beforeEach, expect, onTestFinished } from 'vitest';
import type { CrawlWorld } from '../support/crawl-world.js';
import { FakeSite } from '../support/fake-site.js';
import { itUnless, noBrowser, notLinux } from '../support/left-out.js';
import { renderingWorld } from './rendering-world.js';

/** Processor seconds that rendering may take per second, and at once. */
const PER_SECOND = 0.1;
const AT_ONCE = 5 * PER_SECOND;
const DEAR = Array.from({ length: 10 }, (_, n) => `/dear-${n}`);
const PLAIN = Array.from({ length: 20 }, (_, n) => `/plain-${n}`);

const page = `<div id=root></div><script>
  fetch('/begun').then(() => {
    const until = performance.now() + 300;
    while (performance.now() < until);
    document.getElementById('root').textContent = 'Workword, made by a script that takes its time on ' + location.pathname;
  });
</script>`;

/** Processor seconds of all processes that one has started, with those of theirs that have ended; of Linux, 100 ticks a second. */
function processorTime(pid: number): number {
  let total = 0;
  for (const file of globSync(`/proc/${pid}/task/*/children`)) {
    for (const child of readFileSync(file, 'utf8').trim().split(' ').filter(Boolean)) {
      const stat = readFileSync(`/proc/${child}/stat`, 'latin1');
      // The name, in brackets, may have blanks; user and system time are fields 14 and 15, of ended children 16 and 17.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      total += fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100 + processorTime(Number(child));
    }
  }
  return total;
}

interface Begin {
  /** Seconds. */
  readonly at: number;
  readonly used: number;
  readonly plain: number;
}

let site: FakeSite;
let world: CrawlWorld;

beforeEach(async () => {
  site = await FakeSite.start();
});

afterEach(async () => {
  await world.close();
  await site.close();
});

itUnless(
  noBrowser ?? notLinux,
  'pages wait until those before them are within the share; plain pages of other hosts do not',
  async () => {
    const other = await FakeSite.start();
    onTestFinished(() => other.close());
    const begun: Begin[] = [];
    site.set('/begun', () => {
      const plain = PLAIN.filter((path) => other.fetched.includes(path)).length;
      begun.push({ at: performance.now() / 1000, used: processorTime(process.pid), plain });
      return {};
    });
    site.page('/', DEAR);
    other.page('/', PLAIN);
    for (const path of PLAIN) other.page(path);
    for (const path of DEAR) site.set(path, { headers: { 'content-type': 'text/html' }, body: page });

    world = await renderingWorld({
      // One page at a time: if those that wait held the place, the other host would get it once after each of them.
      attributes: 'render="never" nthreads="1"',
      crawler: `<Root url="${site.url('/')}"/><Root url="${other.url('/')}"/><Rules><Rule><Path value="/dear-"/><Render mode="always"/></Rule></Rules>`,
      renderer: `maxShare="${PER_SECOND / availableParallelism()}" pages="1" timeLimitMS="150000"`,
    });
    await world.untilIdle();

    for (const path of DEAR)
      expect(world.pushed().get(site.url(path))).toMatchObject({ text: expect.stringContaining('Workword') });
    expect(begun).toHaveLength(DEAR.length);
    const [first, ...later] = begun;
    const costs = later.map(({ used }, index) => used - begun[index]!.used);
    // Use is measured four times a second: what the first and the last page took may not have been counted yet.
    const uncounted = 2 * Math.max(...costs);
    for (const { at, used } of later)
      expect(used - first!.used).toBeLessThan(AT_ONCE + PER_SECOND * (at - first!.at) + uncounted);
    expect(begun.at(-1)!.plain).toBe(PLAIN.length);
  },
);
