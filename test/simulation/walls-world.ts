/**
 * One world from one number whose hosts say the same on all their pages from time to time, with a good status: a maintenance page
 * on all or half of them, nothing at all, `noindex` in the template. At no moment does an indexed document carry a text that is none of its
 * page's, and no page leaves the index because of a template.
 */
import { hours, type Instant } from '../../src/domain/time/units.js';
import { SimulatedWeb, WALL_TEXT } from './simulated-web.js';
import { World, type WorldReport } from './world.js';

export async function runWallsWorld(seed: number): Promise<WorldReport> {
  const world = new WallsWorld(seed);
  await world.run();
  return world.report();
}

class WallsWorld extends World {
  private nextWall: Instant;

  constructor(seed: number) {
    super(seed, (random) => new SimulatedWeb(random, random.integer(1, 3), random.integer(14, 30), false, 14));
    this.web.writeLongTexts();
    this.nextWall = this.laterBy(hours(6));
    // Not before the pages are indexed: a first crawl has nothing to lose.
    this.nextWall = (this.nextWall + hours(8)) as Instant;
    this.index.onReplacement = (uri, before, after) => {
      if (isOwn(before) && !isOwn(after)) this.violations.push(`${uri} was replaced by ${JSON.stringify(after)}`);
    };
    this.index.onDeletion = ({ uri, reason }) => {
      if (reason === 'noindex' && this.web.isSaidByTemplate(uri))
        this.violations.push(`${uri} was deleted because of a template`);
    };
  }

  protected override befall(): void {
    if (this.clock.now() < this.nextWall) return;
    this.web.raiseWall();
    this.nextWall = this.laterBy(hours(8));
  }

  protected override compare(): void {
    super.compare();
    for (const [uri, text] of this.index.texts)
      if (!text.startsWith(this.web.textOf(uri) ?? '')) this.violations.push(`${uri} says ${JSON.stringify(text)}`);
  }
}

const isOwn = (text: string): boolean => text.trim() !== '' && !text.includes(WALL_TEXT);
