/**
 * One world from one number whose pages are split into parts (`cw:Split`), which come, go and change while sites fail, orders are refused
 * and the process dies. Then all is well, and the index has to hold every part of every page as it is, and no other, and what the store
 * believes.
 */
import { parsePartUri } from '../../src/domain/push/parts.js';
import { type Instant, minutes } from '../../src/domain/time/units.js';
import { World, type WorldReport } from './world.js';

export async function runPartsWorld(seed: number): Promise<PartsReport> {
  const world = new PartsWorld(seed);
  await world.run();
  return world.partsReport();
}

export interface PartsReport extends WorldReport {
  /** Parts in the end. */
  readonly parts: number;
}

class PartsWorld extends World {
  private nextChange = 0 as Instant;
  private parts = 0;

  constructor(seed: number) {
    super(seed);
    const guard = this.random.pick(['on', 'off']);
    this.more = {
      attributes: `deletionGuard="${guard}"`,
      elements:
        '<cw:DeletionGuard maxDeletions="3" maxShare="0.2"/><cw:Content><cw:Split select="section"/></cw:Content>',
      sinks: '',
    };
  }

  partsReport(): PartsReport {
    return { ...this.report(), parts: this.parts };
  }

  protected override befall(): void {
    if (this.clock.now() < this.nextChange) return;
    this.web.changeSections();
    this.nextChange = this.laterBy(minutes(20));
  }

  protected override async compare(): Promise<void> {
    super.compare();
    const expected = new Map<string, string>();
    for (const uri of this.index.documents.keys())
      if (!parsePartUri(uri)) for (const [part, text] of this.web.sectionsOf(uri)) expected.set(part, text);
    this.parts = expected.size;
    for (const [uri, text] of expected)
      if (this.index.texts.get(uri) !== text)
        this.violations.push(`${uri} says ${this.index.texts.get(uri)} in the index, ${text} on the web`);
    for (const uri of this.index.documents.keys())
      if (parsePartUri(uri) && !expected.has(uri)) this.violations.push(`${uri} is in the index and not on its page`);
    await this.compareBeliefs();
  }

  private async compareBeliefs(): Promise<void> {
    const believed = new Map<string, string>();
    for (const { url } of await this.store.list({ crawler: 'world', indexed: true }, 0, 10_000))
      for (const { id, stamp } of (await this.store.find('world', url))?.parts ?? [])
        believed.set(`${url}#${id}`, stamp);
    for (const [uri, stamp] of this.index.documents)
      if (parsePartUri(uri) && believed.get(uri) !== stamp)
        this.violations.push(`${uri} is not what the store believes`);
    for (const uri of believed.keys())
      if (!this.index.documents.has(uri))
        this.violations.push(`the store believes in ${uri}, which is not in the index`);
  }
}
