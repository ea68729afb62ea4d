/**
 * Handles secrets in a configuration history that has no key to encrypt them: they are left out, and taken from the
 * same places in this server's configuration when a version is put in force.
 */
import type { Texts } from './configuration-file.js';
import type { ConfigurationFormat } from './configuration-format.js';
import type { ConfigurationTexts } from './configuration-history.js';

type Secrets = Pick<ConfigurationFormat, 'redact' | 'redactRules' | 'restoreSecrets'>;

export function redactSecrets({ xml, files }: ConfigurationTexts, format: Secrets): ConfigurationTexts {
  const redacted = [...files].map(([name, text]) => [name, format.redactRules(text)] as const);
  return { xml: redactOrEmpty(xml, format), files: new Map(redacted) };
}

/** A rule file gets its secrets back if the rest of it is unchanged. */
export function restoreSecretsFrom(
  own: Texts,
  { xml, files }: ConfigurationTexts,
  format: Secrets,
): ConfigurationTexts {
  const findOwnText = (name: string): string | undefined => own.ruleFiles.find((file) => file.name === name)?.text;
  const filled = [...files].map(([name, text]) => {
    const known = findOwnText(name);
    return [name, known !== undefined && format.redactRules(known) === text ? known : text] as const;
  });
  return { xml: format.restoreSecrets(xml, own.xml), files: new Map(filled) };
}

/** In a text that is not XML, the secrets cannot be found. */
function redactOrEmpty(xml: string, format: Secrets): string {
  try {
    return format.redact(xml);
  } catch {
    return '';
  }
}
