/**
 * The groups in which the API description lists its calls; a call belongs to the first one whose `paths` match its
 * path.
 */
export interface CallGroup {
  readonly name: string;
  readonly description: string;
  readonly pathPattern: RegExp;
}

export const CALL_GROUPS: readonly CallGroup[] = [
  {
    name: 'Configuration',
    description:
      'The configuration in force, its files, versions and secrets: read, check, preview, replace and restore it.',
    pathPattern: /^\/api\/v1\/(?:config(?!\/crawlers)|secrets)/,
  },
  {
    name: 'Rules and weights',
    description:
      "Parts of one crawler's configuration: its rules in order, the weights of its sources, and what is in force for it.",
    pathPattern: /^\/api\/v1\/config\/crawlers/,
  },
  {
    name: 'Roots',
    description: 'The start URLs of a crawler, one by one and as lists.',
    pathPattern: /^\/api\/v1\/crawlers\/\{crawler\}\/(roots|pending)/,
  },
  {
    name: 'URLs',
    description: 'What is known about URLs, why each one is or is not in the index, and commands for URLs.',
    pathPattern: /^\/api\/v1\/crawlers\/\{crawler\}\/(urls?|explain|page|refused|refresh|oldest|errors|extract|render)/,
  },
  {
    name: 'Crawlers',
    description:
      'State, speed and history of each crawler; start, pause, stop, rename and remove, and what becomes of the documents of those that are gone.',
    pathPattern: /^\/api\/v1\/(?:former-)?crawlers/,
  },
  {
    name: 'Hosts',
    description: 'The hosts that are crawled, how they respond, and pauses.',
    pathPattern: /^\/api\/v1\/hosts/,
  },
  {
    name: 'Orders',
    description: 'Orders to the sinks, what they changed in the index, and deletions that are waiting for a decision.',
    pathPattern: /^\/api\/v1\/(orders|held-deletions|changes)/,
  },
  {
    name: 'Plug-ins',
    description: 'Your own modules that take part in the crawl.',
    pathPattern: /^\/api\/v1\/plugins/,
  },
  {
    name: 'Sinks',
    description: 'Destinations of documents: state, tests, comparison with the store, and backfills.',
    pathPattern: /^\/api\/v1\/sinks/,
  },
  {
    name: 'Signals',
    description: 'What sites report of their own accord.',
    pathPattern: /^\/(indexnow|websub|\.well-known)/,
  },
  {
    name: 'Server',
    description: 'The server itself: sign-in, health, metrics, events, audit log and the list of reasons.',
    pathPattern: /./,
  },
];

/** The group of a call. */
export const findGroup = (path: string): CallGroup => CALL_GROUPS.find(({ pathPattern: paths }) => paths.test(path))!;
