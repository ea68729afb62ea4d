/** The redirects of one host, with a clock, and with pages whose visits a test tells of. */
import { UNKNOWN_STAMP, type UrlState } from '../../src/domain/crawl/url-state.js';
import type { Instant } from '../../src/domain/time/units.js';
import { Redirects } from '../../src/engine/crawl/evidence/redirects.js';
import type { PageResult } from '../../src/engine/ports/page-task.js';
import { ManualClock } from './manual-clock.js';

export const HOST = 'http://a.example';

export function redirectingHost() {
  const page = (id: number, path: string, particulars: Partial<UrlState>) =>
    ({ id, url: `${HOST}${path}`, hostKey: HOST, stamp: 'c', ...particulars }) as UrlState;
  const source = page(1, '/old', { status: 'indexed' });
  const target = page(2, '/new', { status: 'indexed' });
  const pages = [source, target];
  const clock = new ManualClock();
  const inFlight = new Set<string>();
  const requested: string[] = [];
  /** Pages of which a former process may have sent the document. */
  const inDoubt = new Set<string>();
  const services = {
    clock,
    inDoubt: {
      applyDoubt: (state: UrlState) => (inDoubt.has(state.url) ? { ...state, stamp: UNKNOWN_STAMP } : state),
    },
    strangers: { areNaming: async ({ foundOn }: { foundOn?: string }) => !foundOn?.startsWith(HOST) },
    store: {
      find: async (_crawler: string, url: string) => pages.find((one) => one.url === url),
      getSetting: async () => undefined,
      list: async () => pages.filter(({ stamp }) => stamp !== undefined),
    },
    // Each page of the host has an address of its own.
    walls: { findEvidence: () => ({ same: 0, others: 2, targets: 2 }) },
    scheduleVisit: async ({ url }: UrlState) => {
      if (inFlight.has(url)) return false;
      requested.push(url);
      return true;
    },
  };
  const redirects = new Redirects('docs', services as unknown as ConstructorParameters<typeof Redirects>[1]);
  return { redirects, source, target, pages, clock, inFlight, inDoubt, requested };
}

/** What a visit of an indexed page that redirects to the target means for its document. */
export async function judgeRedirect(
  { redirects, source }: ReturnType<typeof redirectingHost>,
  target: string,
  startedAt: Instant,
) {
  const result = { outcome: { kind: 'redirect', target, permanent: true }, links: [], refused: [] };
  const looked = await redirects.look(source, result as unknown as PageResult, startedAt);
  return (await redirects.judge(source, looked)).outcome;
}
