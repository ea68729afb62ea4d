/** How a whole host fails, in every class that a visit can fail in. */
import type { ErrorCode } from '../../src/domain/fetch/error-codes.js';
import type { FetchOutcome } from '../../src/domain/fetch/outcome.js';

export type Respond = (status: number, headers?: Record<string, string>, body?: string) => FetchOutcome;

interface Question {
  readonly path: string;
  /** The host has, or had, a page there. */
  readonly isPage: boolean;
  readonly chance: (share: number) => boolean;
  readonly respond: Respond;
  readonly failure: (code: ErrorCode) => FetchOutcome;
}

/** Seconds that an overloaded host asks for. */
export const RETRY_AFTER_S = 3_600;
/** The title of the page with which a host excuses itself, with status 200. */
export const APOLOGY = 'Out of order';

const HTML = { 'content-type': 'text/html; charset=utf-8' };
const isRobots = ({ path }: Question): boolean => path === '/robots.txt';

/** Each gives the answer, or undefined: then the host answers as if it were well. */
const MOODS = {
  well: () => undefined,
  refuses: ({ failure }: Question) => failure('connection-refused'),
  resets: ({ failure, chance }: Question) => (chance(0.5) ? failure('connection-reset') : undefined),
  overloaded: ({ respond }: Question) => respond(503, { 'retry-after': String(RETRY_AFTER_S) }),
  silent: ({ failure }: Question) => failure('read-timeout'),
  errs: ({ respond }: Question) => respond(500),
  /** The application is broken, the server before it is well. */
  'errs on pages': ({ isPage, respond }: Question) => (isPage ? respond(502) : undefined),
  'errs at random': ({ isPage, respond, chance }: Question) => (isPage && chance(0.5) ? respond(500) : undefined),
  expired: ({ failure }: Question) => failure('tls-expired'),
  garbles: ({ failure }: Question) => failure('protocol'),
  nameless: ({ failure }: Question) => failure('dns-not-found'),
  'unresolvable for now': ({ failure }: Question) => failure('dns-no-answer'),
  truncates: (question: Question) => (isRobots(question) ? undefined : question.failure('body-truncated')),
  forbids: ({ respond }: Question) => respond(403),
  'wants a login': (question: Question) => {
    const { path, respond } = question;
    if (isRobots(question)) return undefined;
    return path === '/login' ? respond(200, HTML, page('Login')) : respond(302, { location: `/login?next=${path}` });
  },
  apologises: (question: Question) => (isRobots(question) ? undefined : question.respond(200, HTML, page(APOLOGY))),
} satisfies Record<string, (question: Question) => FetchOutcome | undefined>;

export type Mood = keyof typeof MOODS;
export const ALL_MOODS = Object.keys(MOODS) as Mood[];

export const answerInMood = (mood: Mood, question: Question): FetchOutcome | undefined => MOODS[mood](question);

const page = (title: string): string =>
  `<html lang="en"><head><title>${title}</title></head><body>${title}</body></html>`;
