import { createMigration } from './statements.js';

/** A configuration version now includes the contents of the rule files that it names; older versions have none. */
export const RuleFiles0004 = createMigration(
  'RuleFiles0000000000004',
  [`ALTER TABLE configuration_version ADD COLUMN files text NOT NULL DEFAULT '{}'`],
  ['ALTER TABLE configuration_version DROP COLUMN files'],
);
