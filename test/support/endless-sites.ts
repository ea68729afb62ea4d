/** Endless sites and parts of sites, and an archive that only looks endless. */
import { type FakeAnswer, type FakePage, FakeSite, html } from './fake-site.js';

const TYPE = { 'content-type': 'text/html; charset=utf-8' };
const MONTHS = 'January February March April May June July August September October November December'.split(' ');

/** The text of a link is its URL by default. */
const page = (title: string, links: readonly string[], text: string, linkText?: string): FakeAnswer => ({
  headers: TYPE,
  body:
    linkText === undefined
      ? html(title, links, text)
      : html(title, links, text).replace(/>\/s\/[^<]*</g, `>${linkText}<`),
});

/** Creates the page for a path and query, if there is one. */
type Part = (url: URL) => FakeAnswer | undefined;

/** A calendar without events: every month links to the next and previous one, and to its days. */
const calendar: Part = ({ pathname }) => {
  const [, year, month, day] = /^\/calendar\/(\d+)\/(\d+)\/(?:(\d+)\/)?$/.exec(pathname) ?? [];
  if (year === undefined) return undefined;
  const at = Number(year) * 12 + Number(month) - 1;
  const path = (n: number): string => `/calendar/${Math.floor(n / 12)}/${(n % 12) + 1}/`;
  const title = `${day ?? ''} ${MONTHS[at % 12]} ${year}`;
  const days = Array.from({ length: 7 }, (_, i) => `${path(at)}${i + 1}/`);
  return page(title, [path(at - 1), path(at + 1), ...(day === undefined ? days : [])], `${title}. No events.`);
};

/** The same with a query, and a new session for every visitor. */
const agenda: Part = ({ pathname, searchParams }) => {
  if (pathname !== '/agenda') return undefined;
  const at = Number(searchParams.get('year')) * 12 + Number(searchParams.get('month'));
  const session = `${at}`.padStart(8, 'c0ffee00').slice(-8);
  const link = (n: number): string => `/agenda?month=${n % 12}&year=${Math.floor(n / 12)}&visit=${session}`;
  return page(`${MONTHS[at % 12]}`, [link(at + 1), link(at + 12)], `${MONTHS[at % 12]} ${at}: nothing planned.`);
};

/** A page that always has a next one. */
const next: Part = ({ pathname }) => {
  const n = /^\/photo\/(\d+)$/.exec(pathname)?.[1];
  return n === undefined ? undefined : page(`Photo ${n}`, [`/photo/${Number(n) + 1}`], `Photo number ${n}.`);
};

/** A page with a session id in its path, whose links have a new one. */
const sessions: Part = ({ pathname }) => {
  const [, session, n] = /^\/s\/(\w+)\/room(\d)$/.exec(pathname) ?? [];
  if (session === undefined) return undefined;
  const link = (room: number): string => {
    const another = (Math.imul(Number.parseInt(session, 16) ^ room, 0x9e3779b1) + 1) >>> 0;
    return `/s/${another.toString(16).padStart(8, '0')}/room${room}`;
  };
  return page(`Room ${n}`, [link(1), link(2)], `Welcome to room ${n}.`, `room ${n}`);
};

const WORDS = ['team', 'jobs', 'press', 'history'];

/** Relative links on a site that answers every path, with the path above the text. */
const relative: Part = ({ pathname }) => {
  if (!pathname.startsWith('/about/')) return undefined;
  const links = WORDS.map((word) => `${pathname}${word}/`);
  return page('About', links, `You are here: ${pathname.split('/').join(' > ')}. We make things.`);
};

const FACETS = ['color', 'size', 'brand', 'price', 'stock', 'sort'];
const VALUES = ['one', 'two', 'three', 'four'];

/** A shop of ten things that can be filtered in thousands of ways. */
const facets: Part = ({ pathname, searchParams }) => {
  if (pathname !== '/shop') return undefined;
  const links = FACETS.flatMap((facet) =>
    VALUES.map((value) => {
      const query = new URLSearchParams(searchParams);
      query.set(facet, value);
      return `/shop?${query}`;
    }),
  );
  const things = Array.from({ length: 10 }, (_, i) => `/thing-${'abcdefghij'[(i + searchParams.size * 3) % 10]}`);
  return page('Shop', [...links, ...things], `Filtered by ${[...searchParams.keys()].join(', ')}.`);
};

/** Things by any choice and order of tags, in the path. */
const tags: Part = ({ pathname }) => {
  const chosen = /^\/tags\/([a-z+]+)$/.exec(pathname)?.[1]?.split('+');
  if (chosen === undefined) return undefined;
  const links = [...'abcdefgh']
    .filter((tag) => !chosen.includes(tag))
    .map((tag) => `/tags/${[...chosen, tag].join('+')}`);
  return page(`Tagged ${chosen.join(', ')}`, links, `Nothing is tagged ${chosen.join(' and ')}.`);
};

const PARTS = { calendar, agenda, next, sessions, relative, facets, tags };

/** Where the endless parts begin. */
export const ENDLESS: Readonly<Record<keyof typeof PARTS, { readonly start: string; readonly like: string }>> = {
  calendar: { start: '/calendar/2026/11/', like: '/calendar/' },
  agenda: { start: '/agenda?month=1&year=2026', like: '/agenda?' },
  next: { start: '/photo/1', like: '/photo/' },
  sessions: { start: '/s/00000001/room1', like: '/s/' },
  relative: { start: '/about/', like: '/about/' },
  tags: { start: '/tags/a', like: '/tags/' },
  facets: { start: '/shop', like: '/shop?' },
};

/** A list with ten articles per page, which link to their neighbours; each page links only to the next one. */
export function archive(articles: number): FakePage & Part {
  const perPage = 10;
  return ({ pathname, searchParams }: URL) => {
    if (pathname === '/list') {
      const at = Number(searchParams.get('page') ?? 1);
      const here = Array.from({ length: perPage }, (_, i) => (at - 1) * perPage + i).filter((n) => n < articles);
      const older = at * perPage < articles ? [`/list?page=${at + 1}`] : [];
      return page(`Articles, page ${at}`, [...here.map((n) => `/article/${n}`), ...older], 'All our articles.');
    }
    const n = /^\/article\/(\d+)$/.exec(pathname)?.[1];
    if (n === undefined || Number(n) >= articles) return undefined;
    const around = [Number(n) - 1, Number(n) + 1].filter((other) => other >= 0 && other < articles);
    return page(
      `Article ${n}`,
      around.map((other) => `/article/${other}`),
      prose(Number(n)),
    );
  };
}

/** More than a thousand measurements that differ in numbers only, each linked from one other. */
export function measurements(count: number): Part {
  return ({ pathname }) => {
    const n = Number(/^\/measurement\/(\d+)$/.exec(pathname)?.[1] ?? Number.NaN);
    if (!(n < count)) return undefined;
    const next = Array.from({ length: 5 }, (_, i) => 5 * n + i + 1).filter((other) => other < count);
    return page(
      `Measurement ${n}`,
      next.map((other) => `/measurement/${other}`),
      `It is ${n * 17} degrees.`,
    );
  };
}

const SYLLABLES = 'ka lo mi ten dar vus pel ron sha bi go tra nek zu fer lin'.split(' ');

/** Sixty words of a language with few frequent and many rare words (Zipf). */
function prose(seed: number): string {
  let random = (seed + 1) * 2_654_435_761;
  return Array.from({ length: 60 }, () => {
    random = (Math.imul(random, 1_103_515_245) + 12_345) >>> 0;
    let rank = Math.floor(30_000 ** (random / 2 ** 32));
    let word = '';
    for (; rank > 0; rank = Math.floor(rank / SYLLABLES.length)) word += SYLLABLES[rank % SYLLABLES.length];
    return word;
  }).join(' ');
}

export async function siteOf(...parts: readonly Part[]): Promise<FakeSite> {
  const site = await FakeSite.start();
  return site.elsewhere((path) => {
    const url = new URL(path, site.origin);
    for (const part of parts) {
      const answer = part(url);
      if (answer) return answer;
    }
    return undefined;
  });
}

export const startEndlessSite = (): Promise<FakeSite> => siteOf(...Object.values(PARTS));
