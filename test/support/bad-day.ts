/** One site with an outage on a manual clock: what is deleted, what is held, what returns. */
import { days, hours, minutes } from '../../src/domain/time/units.js';
import { CrawlWorld } from './crawl-world.js';
import { FakeSite, html } from './fake-site.js';

export const FAULTS = ['answers 500', 'refuses connections', 'redirects to a login page'] as const;
export type Fault = (typeof FAULTS)[number] | 'answers 410';

export interface DayReport {
  readonly documents: number;
  /** Documents in the index at the end of the outage. */
  readonly left: number;
  readonly held: number;
  readonly requests: number;
}

export class BadDay {
  private constructor(
    readonly site: FakeSite,
    readonly world: CrawlWorld,
    private readonly paths: readonly string[],
  ) {}

  /**
   * Starts a site with this number of documents, all of them indexed.
   * @param inside further elements of the crawler
   */
  static async start(documents: number, { attributes = '', inside = '' } = {}): Promise<BadDay> {
    const site = await FakeSite.start();
    const paths = Array.from({ length: documents - 1 }, (_, i) => `/p${i}`);
    const ages = 'smartRefreshMinAgeS="3600" smartRefreshMaxAgeS="43200" nearDuplicateDetector="false"';
    wellBehaved(site, paths);
    const crawler = `<Root url="${site.url('/')}"/>${inside}`;
    const world = await CrawlWorld.start({ attributes: `${ages} ${attributes}`, crawler });
    await world.untilIdle();
    return new BadDay(site, world, paths);
  }

  /** Lets the site have the fault for a day. */
  async spend(fault: Fault): Promise<DayReport> {
    const before = (await this.world.indexed()).length;
    this.site.forgetRequests();
    if (fault === 'refuses connections') await this.site.goDown();
    else for (const path of ['/', ...this.paths]) this.site.set(path, answerOf(fault, path));
    await this.world.pass(days(1));
    const held = await this.held();
    const left = (await this.world.indexed()).length;
    return { documents: before, left, held, requests: this.site.requests.length };
  }

  async held(): Promise<number> {
    return (await this.world.engine.orders.listHeldDeletions()).reduce((sum, { count }) => sum + count, 0);
  }

  /** Repairs the site, and waits until every page has been visited. */
  async recover(fault: Fault): Promise<void> {
    if (fault === 'refuses connections') await this.site.comeBack();
    wellBehaved(this.site, this.paths, 'It was away for a day.');
    await this.world.pass(days(2));
    await this.world.pass(hours(1));
    await this.world.untilIdle(minutes(30));
  }

  async close(): Promise<void> {
    await this.world.close();
    await this.site.close();
  }
}

function wellBehaved(site: FakeSite, paths: readonly string[], news = ''): void {
  site.page('/', paths, `The start page. ${news}`);
  for (const path of paths) site.page(path, [], `The page ${path}.`);
  site.set('/login', { headers: { 'content-type': 'text/html' }, body: html('Login', [], 'Who are you?') });
}

const answerOf = (fault: Fault, path: string) =>
  fault.startsWith('answers')
    ? { status: Number(fault.slice(-3)) }
    : { status: 302, headers: { location: `/login?next=${path}` } };
