/**
 * One world from one number in which sites of any size have bad days of every kind: whole hosts fail in every class of error,
 * lose most of their pages and get them back, a person asks for everything again, and the rules shut pages out and let them in.
 * The web knows what it really answered, and judges each deletion by that.
 */

import type { Reason } from '../../src/domain/policy/reasons.js';
import { isServerFault } from '../../src/domain/push/sign-of-life.js';
import { after, days, hours, type Instant, minutes } from '../../src/domain/time/units.js';
import { NotFound, Unacceptable } from '../../src/engine/support/api-errors.js';
import { APOLOGY } from './moods.js';
import { pass } from './passing-time.js';
import { type Asked, SimulatedWeb } from './simulated-web.js';
import { World, type WorldReport } from './world.js';

/** Pages that a rule ignores. */
interface ShutOut {
  /** The path of the rule, as a person may write it. */
  readonly written: string;
  readonly meant: RegExp;
  /** By then what was in flight has ended. */
  readonly since: Instant;
}

/** So few that small hosts have deletions held, too. */
const MOST_DELETIONS = 5;
/** In most worlds longer than any of them lasts. */
const WAITS_H = [1_000, 1_000, 1_000, 24];

export async function runBadDays(seed: number): Promise<WorldReport> {
  const world = new BadDaysWorld(seed);
  await world.run();
  return world.report();
}

class BadDaysWorld extends World {
  private readonly waitH: number;
  private readonly probes: boolean;
  private nextDay = 0 as Instant;
  private nextDeed = 0 as Instant;
  private shutOut: ShutOut | undefined;
  private isReleased = false;

  constructor(seed: number) {
    super(seed, (random) => new SimulatedWeb(random, random.integer(1, 3), random.integer(1, 60), false, 1));
    this.waitH = this.random.pick(WAITS_H);
    this.probes = this.random.chance(0.5);
    this.web.writeInManyWays();
    this.configure();
    this.index.onDeletion = ({ uri, reason }) => this.judge(uri, reason);
  }

  private configure(): void {
    const rule = this.shutOut === undefined ? '' : `<Rule><ar:Path val="${this.shutOut.written}"/><Ignore/></Rule>`;
    const elements = `<cw:SoftErrors probe="${this.probes}"><cw:SoftError field="title" pattern="${APOLOGY}"/></cw:SoftErrors>
      <cw:DeletionGuard maxDeletions="${MOST_DELETIONS}" signOfLifeHours="${this.waitH}"/><Rules>${rule}</Rules>`;
    this.more = { ...this.more, attributes: 'xmlns:ar="exa:com.exalead.actionrules.v21"', elements };
  }

  protected override befall(): void {
    if (this.clock.now() >= this.nextDay) {
      if (this.nextDay > 0) this.web.haveADay();
      if (this.nextDay > 0 && this.random.chance(0.5)) this.web.nameCanonical();
      this.nextDay = this.laterBy(hours(10));
    }
    if (this.clock.now() < this.nextDeed) return;
    if (this.nextDeed > 0) void this.deed();
    this.nextDeed = this.laterBy(hours(12));
  }

  private async deed(): Promise<void> {
    try {
      if (this.random.chance(0.6)) await this.engine.maintenance.refresh('world', { like: '%' });
      else await this.reconfigure(this.shutOut === undefined ? this.somePages() : undefined);
    } catch (error) {
      if (!(error instanceof NotFound || error instanceof Unacceptable)) this.violations.push(String(error));
    }
  }

  /** One page of each host, or most of them, in one of the ways to write it. */
  private somePages(): Omit<ShutOut, 'since'> {
    const path = this.random.chance(0.5) ? String(this.random.integer(1, 9)) : '[0-9]*[1-8]';
    const letter = this.random.pick(['p', '%70']);
    return { written: `/${letter}${path}`, meant: new RegExp(`^/p${path}$`) };
  }

  /** What a person shuts out after a preview goes at once, however much it is: the guard is for the doings of sites. */
  private async reconfigure(shutOut: Omit<ShutOut, 'since'> | undefined): Promise<void> {
    this.expectShut();
    this.shutOut = shutOut && { ...shutOut, since: after(this.clock.now(), hours(1)) };
    this.configure();
    const definition = this.definition();
    for await (const _ of this.engine.preview(definition));
    await this.engine.reconfigure(definition);
    for (const state of ['held', 'awaiting'] as const)
      for (const { uri, reason } of await this.engine.orders.list({ kind: 'delete', state }, undefined, 1_000))
        if (reason === 'rule-ignored') this.violations.push(`${uri} was shut out, and its deletion is ${state}`);
  }

  /** Nothing that the rules shut out is asked for, however a link to it is written. */
  private expectShut(): void {
    if (!this.shutOut) return;
    const { meant, since } = this.shutOut;
    for (const { host, path, from } of this.web.asked)
      if (from >= since && meant.test(path)) this.violations.push(`${host}${path} was asked for, and is shut out`);
  }

  protected override async quiet(): Promise<void> {
    this.expectShut();
    this.shutOut = undefined;
    this.configure();
    await super.quiet();
    await this.failTwice();
    await this.loseMost();
  }

  /** Single pages fail until they are given up, and answer again below links that have not changed. */
  private async failTwice(): Promise<void> {
    const giveBack = this.web.breakSome();
    await pass(this.clock, days(3));
    giveBack();
    await pass(this.clock, days(2));
  }

  /** Most pages are gone for good: what the guard holds, a person lets go. */
  private async loseMost(): Promise<void> {
    this.web.loseMost();
    await pass(this.clock, days(3));
    await this.release();
    await pass(this.clock, days(1));
  }

  /** What a person lets go is gone at once, for the store as for the index. */
  protected override async release(): Promise<void> {
    this.isReleased = true;
    await super.release();
    await pass(this.clock, minutes(10));
    for (const { url } of await this.store.list({ crawler: 'world', pendingDeletion: true }, 0, 1_000))
      this.violations.push(`${url} still waits for its deletion after the release`);
    for (const { url } of await this.store.list({ crawler: 'world', indexed: true }, 0, 10_000))
      if (!this.index.documents.has(url)) this.violations.push(`${url} counts as indexed after the release`);
  }

  /** A person's request does not wait for the rest that the host has asked for. */
  protected override mayBeAskedEarly(): boolean {
    return true;
  }

  /** A page may be left out for its canonical URL only when that one is in the index, and then it has to be. */
  protected override compare(): void {
    const truth = this.web.truth();
    const isIn = (url: string): boolean => this.index.documents.has(url);
    for (const url of truth) {
      const canonical = this.web.canonicalOf(url);
      const stands = canonical !== undefined && isIn(canonical);
      if (!isIn(url) && !stands) this.violations.push(`${url} is on the web and not in the index`);
      if (isIn(url) && stands && this.web.canonicalOf(canonical) === undefined)
        this.violations.push(`${url} is in the index beside its canonical URL ${canonical}`);
    }
    for (const url of this.index.documents.keys())
      if (!this.web.serves(url)) this.violations.push(`${url} is in the index and not on the web`);
  }

  private judge(uri: string, reason: Reason): void {
    if (this.isReleased || !isServerFault(reason)) return;
    const { host, pathname } = new URL(uri);
    const began = this.faultBegan(host, pathname);
    if (began === undefined || this.clock.now() - began >= hours(this.waitH)) return;
    const lived = this.web.asked.some((asked) => asked.host === host && asked.truth === 'good' && asked.from >= began);
    if (!lived)
      this.violations.push(
        `${uri} was deleted (${reason}), and its host has served no page since ${new Date(began).toISOString()}`,
      );
  }

  /** When the first of the failed answers came that are the last answers of the page, or of robots.txt before it. */
  private faultBegan(host: string, path: string): Instant | undefined {
    let began: Instant | undefined;
    for (let i = this.web.asked.length - 1; i >= 0; i--) {
      const asked = this.web.asked[i] as Asked;
      if (asked.host !== host || asked.to === undefined) continue;
      if (asked.path !== path && !(asked.path === '/robots.txt' && asked.truth === 'fault')) continue;
      if (asked.truth === 'fault') began = asked.to;
      // A dying process may not have written down what it heard last.
      else if (!this.witness.mayNotHaveSettled(asked.to)) return began;
    }
    return began;
  }
}
