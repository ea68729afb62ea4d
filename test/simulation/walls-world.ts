/**
 * One world from one number whose hosts say the same on all their pages from time to time: a maintenance page on all or half of
 * them, nothing at all, `noindex` in the template; or, in a world of waves, a canonical URL, a robots.txt that forbids everything,
 * redirects to one page or to a failure, replies that break off, and pages that move for good; or, in a world of lapses, the same
 * form on half of them or now and then, texts of other pages, `noindex` on two thirds, redirects to copies of one page; or, in a world of
 * small sites, whatever a page can be told by without others. At no moment does
 * an indexed document carry a text that is none of its page's, no page leaves the index because of a template, and none before its
 * new address has come; soon after all is well, nothing is held any more.
 */
import { isHoldCause } from '../../src/domain/crawl/change-guard.js';
import { hours, type Instant } from '../../src/domain/time/units.js';
import { pass } from './passing-time.js';
import { LAPSES, SimulatedWeb, SMALL_SITES, WALLS, WAVES, type Wall } from './simulated-web.js';
import { RECOVERY, World, type WorldReport } from './world.js';

export async function runWallsWorld(seed: number): Promise<WorldReport> {
  const world = new WallsWorld(seed);
  await world.run();
  return world.report();
}

export async function runWavesWorld(seed: number): Promise<WorldReport> {
  const world = new WallsWorld(seed, WAVES);
  await world.run();
  return world.report();
}

export async function runLapsesWorld(seed: number): Promise<WorldReport> {
  const world = new WallsWorld(seed, LAPSES);
  await world.run();
  return world.report();
}

export async function runSmallSitesWorld(seed: number): Promise<WorldReport> {
  const world = new WallsWorld(seed, SMALL_SITES);
  await world.run();
  return world.report();
}

/** Reasons for which no page leaves that is there and does not say so itself. */
const UNTRUE: readonly string[] = [
  'noindex',
  'canonical-elsewhere',
  'robots-disallowed',
  'redirected',
  'body-truncated',
  'exact-duplicate',
];

class WallsWorld extends World {
  private nextWall: Instant;

  constructor(
    seed: number,
    private readonly kinds: readonly Wall[] = WALLS,
  ) {
    super(seed, (random) => {
      // A change in doubt is believed after a day: hosts that are never down are ill for some hours at most.
      if (kinds === LAPSES) return new SimulatedWeb(random, 1, 36, true, 24);
      if (kinds === SMALL_SITES) return new SimulatedWeb(random, random.integer(1, 3), 3, true, 1);
      return new SimulatedWeb(random, random.integer(1, 3), random.integer(14, 30), false, 14);
    });
    this.web.writeLongTexts();
    if (kinds === SMALL_SITES) this.web.stopGrowing();
    this.nextWall = this.laterBy(hours(6));
    // Not before the pages are indexed: a first crawl has nothing to lose.
    this.nextWall = (this.nextWall + hours(8)) as Instant;
    this.web.isIndexed = (url, html) => {
      const text = this.index.texts.get(url);
      return text !== undefined && (html?.includes(text.slice(0, 100)) ?? this.web.hasSaid(url, text));
    };
    this.index.onReplacement = (uri, before, after, reason) => {
      // Its first document came in as the process died: nobody knows what it said.
      if (reason === 'indexed') return;
      if (this.web.hasSaid(uri, before) && !this.web.hasSaid(uri, after))
        this.violations.push(`${uri} was replaced by ${JSON.stringify(after)}`);
    };
    this.index.onDeletion = ({ uri, reason }) => {
      const isFalse = reason === 'noindex' ? this.web.isSaidByTemplate(uri) : this.web.serves(uri);
      // Unless the page was first seen while its host was ill.
      if (UNTRUE.includes(reason) && isFalse && this.web.hasSaid(uri, this.index.texts.get(uri) ?? ''))
        this.violations.push(`${uri} was deleted because of what its host says of all pages (${reason})`);
      const target = this.web.findTarget(uri);
      if (reason === 'redirected' && target !== undefined && !this.isSomewhere(uri))
        this.violations.push(`${uri} left before ${target} was there`);
    };
  }

  protected override befall(): void {
    if (this.clock.now() < this.nextWall) return;
    this.web.raiseWall(this.kinds);
    this.nextWall = this.laterBy(hours(8));
  }

  /** Whether the index has a page at one of the addresses that it has got since; where it leads to may have moved on. */
  private isSomewhere(url: string): boolean {
    const { host, pathname } = new URL(url);
    return [...this.index.texts.keys()].some(
      (other) => other !== url && other.startsWith(`http://${host}/`) && other.endsWith(pathname),
    );
  }

  private isTrue(url: string): boolean {
    return this.index.texts.get(url)?.startsWith(this.web.textOf(url) ?? '\n') === true;
  }

  /** A page that was rewritten meanwhile may be in doubt for a day, and so may one that has moved. */
  protected override async checkRecovery(): Promise<void> {
    const held = await this.store.list({ crawler: 'world', pendingDeletion: true }, 0, 10_000);
    for (const { url, pendingDeletion } of held)
      if (isHoldCause(pendingDeletion) && this.web.serves(url) && this.isTrue(url))
        this.violations.push(`${url} is still held (${pendingDeletion})`);
  }

  protected override async compare(): Promise<void> {
    super.compare();
    for (const [uri, text] of this.index.texts)
      if (!text.startsWith(this.web.textOf(uri) ?? '')) this.violations.push(`${uri} says ${JSON.stringify(text)}`);
    await this.fallIll();
  }

  /** At last a host is ill for a while in which none of its pages changes: afterwards, none of them asks about the others. */
  private async fallIll(): Promise<void> {
    this.web.raiseWall(this.kinds.filter((kind) => kind !== 'moved pages'));
    await pass(this.clock, hours(8));
    this.web.recover();
    await pass(this.clock, RECOVERY);
    await this.checkRecovery();
  }
}
