import { defineConfig } from 'vitest/config';
import { configuration } from './vitest.config.js';

/** What starts databases, browsers or processes, or simulates for minutes: `npm run test:fast` leaves it out. */
const SLOW = [
  'test/{api,cluster,console,crashes,rendering,simulation,upgrade}/**',
  'src/adapters/{browser,storage,threads}/**',
  'src/adapters/parsers/documents/**',
  'src/adapters/push/postgresql/**',
  'src/cli/**',
  'test/scenarios/{behind-a-login,kinds-of-logins,documents-are-read,plug-ins-fail-and-the-crawl-goes-on,sites-without-end}.spec.ts',
  'test/scenarios/{new-times-of-refresh-reach-stored-pages,sites-of-any-size-have-a-bad-hour}.spec.ts',
  'test/docs/{how-tos,plugins}.spec.ts',
  'test/*.spec.ts',
];

export default defineConfig(configuration(SLOW));
