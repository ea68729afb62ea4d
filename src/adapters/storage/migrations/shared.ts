import { RuleFiles0004 } from './0004-rule-files.js';
import { ChangeBeliefs0006 } from './0006-change-beliefs.js';
import { PolicyDigests0007 } from './0007-policy-digests.js';
import { ConnectorName0009 } from './0009-connector-name.js';
import { ApiKeys0010 } from './0010-api-keys.js';
import { Parts0011 } from './0011-parts.js';
import { ConsoleSessions0013 } from './0013-console-sessions.js';

/**
 * Migrations that are the same on every database. They run in the order of their numbers, together with the
 * database-specific ones.
 */
export const SHARED_MIGRATIONS = [
  RuleFiles0004,
  ChangeBeliefs0006,
  PolicyDigests0007,
  ConnectorName0009,
  ApiKeys0010,
  Parts0011,
  ConsoleSessions0013,
];
