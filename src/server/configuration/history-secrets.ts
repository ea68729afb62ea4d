/**
 * Handles secrets in a configuration history that has no key to encrypt them: they are left out, and taken from the
 * same places in this server's configuration when a version is put in force.
 */
import type { Texts } from './configuration-file.js';
import type { ConfigurationFormat } from './configuration-format.js';
import type { ConfigurationTexts } from './configuration-history.js';

type SecretFormat = Pick<ConfigurationFormat, 'redact' | 'redactRules' | 'restoreSecrets'>;

export function redactSecrets({ xml, files }: ConfigurationTexts, format: SecretFormat): ConfigurationTexts {
  const redactedFiles = [...files].map(([name, text]) => [name, format.redactRules(text)] as const);
  return { xml: redactOrEmpty(xml, format), files: new Map(redactedFiles) };
}

/** A rule file gets its secrets back if the rest of it is unchanged. */
export function restoreSecretsFrom(
  ownTexts: Texts,
  { xml, files }: ConfigurationTexts,
  format: SecretFormat,
): ConfigurationTexts {
  const findOwnText = (name: string): string | undefined => ownTexts.ruleFiles.find((file) => file.name === name)?.text;
  const restoredFiles = [...files].map(([name, text]) => {
    const ownText = findOwnText(name);
    return [name, ownText !== undefined && format.redactRules(ownText) === text ? ownText : text] as const;
  });
  return { xml: format.restoreSecrets(xml, ownTexts.xml), files: new Map(restoredFiles) };
}

/** Returns an empty text if the text is not XML, because its secrets cannot be found. */
function redactOrEmpty(xml: string, format: SecretFormat): string {
  try {
    return format.redact(xml);
  } catch {
    return '';
  }
}
