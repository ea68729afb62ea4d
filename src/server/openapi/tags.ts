/**
 * The groups by which the API description lists its calls; a call belongs to the first one with a prefix of its path.
 */
export interface CallGroup {
  readonly name: string;
  readonly description: string;
  readonly paths: RegExp;
}

export const CALL_GROUPS: readonly CallGroup[] = [
  {
    name: 'Configuration',
    description: 'The configuration in force, its files and versions: read, check, preview, replace and restore it.',
    paths: /^\/api\/v1\/config(?!\/crawlers)/,
  },
  {
    name: 'Rules and weights',
    description:
      "Parts of one crawler's configuration: its rules in order, the weights of its sources, and what is in force for it.",
    paths: /^\/api\/v1\/config\/crawlers/,
  },
  {
    name: 'Roots',
    description: 'The start URLs of a crawler, one by one and as lists.',
    paths: /^\/api\/v1\/crawlers\/\{crawler\}\/(roots|pending)/,
  },
  {
    name: 'URLs',
    description: 'What is known about URLs, why each one is or is not in the index, and commands for URLs.',
    paths: /^\/api\/v1\/crawlers\/\{crawler\}\/(urls?|explain|page|refused|refresh|oldest|errors|extract|render)/,
  },
  {
    name: 'Crawlers',
    description: 'State, speed and history of each crawler; start, pause and stop.',
    paths: /^\/api\/v1\/crawlers/,
  },
  {
    name: 'Hosts',
    description: 'The hosts that are crawled, how they respond, and pauses.',
    paths: /^\/api\/v1\/hosts/,
  },
  {
    name: 'Orders',
    description: 'Orders to the sinks, and deletions that are waiting for a person.',
    paths: /^\/api\/v1\/(orders|held-deletions)/,
  },
  {
    name: 'Plug-ins',
    description: 'Your own modules that take part in the crawl.',
    paths: /^\/api\/v1\/plugins/,
  },
  {
    name: 'Sinks',
    description: 'Where documents go: state, tests, comparison and filling.',
    paths: /^\/api\/v1\/sinks/,
  },
  {
    name: 'Signals',
    description: 'What sites report of their own accord.',
    paths: /^\/(indexnow|websub|\.well-known)/,
  },
  {
    name: 'Server',
    description: 'The server itself: sign-in, health, metrics, events, audit log and the list of reasons.',
    paths: /./,
  },
];

/** The group of a call. */
export const findGroup = (path: string): CallGroup => CALL_GROUPS.find(({ paths }) => paths.test(path))!;
