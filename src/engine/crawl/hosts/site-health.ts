import { BoundedMap } from '../../../domain/bounded-map.js';
import { type Duration, milliseconds } from '../../../domain/time/units.js';

const MAX_VISITS = 100;
const MAX_HOSTS = 20_000;

interface VisitNote {
  readonly outcome: string;
  readonly failed: boolean;
  readonly duration: number;
}

/** What recent visits say about a host. */
export interface HostHealth {
  /** Share of successful visits, from 0 to 1. */
  readonly successShare?: number;
  readonly errorClasses: Readonly<Record<string, number>>;
  readonly averageLatency?: Duration;
}

/** The outcomes of the latest visits to each web server. */
export class SiteHealth {
  private readonly hosts = new BoundedMap<string, VisitNote[]>(MAX_HOSTS);

  recordVisit(hostKey: string, visit: VisitNote): void {
    const notes = this.hosts.get(hostKey) ?? [];
    notes.push(visit);
    if (notes.length > MAX_VISITS) notes.shift();
    this.hosts.set(hostKey, notes);
  }

  get(hostKey: string): HostHealth {
    const notes = this.hosts.get(hostKey) ?? [];
    if (notes.length === 0) return { errorClasses: {} };
    const errorClasses: Record<string, number> = {};
    for (const note of notes) if (note.failed) errorClasses[note.outcome] = (errorClasses[note.outcome] ?? 0) + 1;
    const failedCount = notes.filter((note) => note.failed).length;
    const latency = notes.reduce((sum, note) => sum + note.duration, 0) / notes.length;
    return {
      successShare: 1 - failedCount / notes.length,
      errorClasses,
      averageLatency: milliseconds(latency),
    };
  }
}
