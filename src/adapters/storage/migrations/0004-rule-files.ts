import { createMigration } from './statements.js';

/** A version of the configuration contains the texts of the rule files that it names; an older one has none. */
export const RuleFiles0004 = createMigration(
  'RuleFiles0000000000004',
  [`ALTER TABLE configuration_version ADD COLUMN files text NOT NULL DEFAULT '{}'`],
  ['ALTER TABLE configuration_version DROP COLUMN files'],
);
