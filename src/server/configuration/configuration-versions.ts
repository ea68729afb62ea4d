/** The versions of the configuration: what was in force when. Secrets are encrypted, or left out if there is no key. */
import type { Clock } from '../../engine/ports/clock.js';
import { ProblemException } from '../http/problem.js';
import { indexTextsByName } from './configuration-draft.js';
import type { LoadedConfiguration, Texts } from './configuration-file.js';
import type { ConfigurationFormat } from './configuration-format.js';
import type { ConfigurationHistory, ConfigurationTexts, VersionHeader } from './configuration-history.js';
import { redactSecrets, restoreSecretsFrom } from './history-secrets.js';

/**
 * Marks a history entry for an edit of the file that was never in force; it is kept because the file was overwritten.
 */
export const KEPT_EDIT = 'file, not in force';

export class ConfigurationVersions {
  constructor(
    private readonly history: ConfigurationHistory,
    private readonly format: ConfigurationFormat,
    private readonly clock: Clock,
  ) {}

  record(
    { xml, ruleFiles, fingerprint }: Pick<LoadedConfiguration, 'xml' | 'ruleFiles' | 'fingerprint'>,
    who: string,
  ): Promise<VersionHeader> {
    const texts = { xml, files: indexTextsByName(ruleFiles) };
    const storedTexts = this.history.keepsSecrets ? texts : redactSecrets(texts, this.format);
    return this.history.add({ at: this.clock.now(), who, digest: fingerprint, ...storedTexts });
  }

  /** The version that was most recently put in force. */
  async findNewestVersion(): Promise<VersionHeader | undefined> {
    const newestVersions = await this.history.listVersions(undefined, 10);
    return newestVersions.find(({ who }) => who !== KEPT_EDIT);
  }

  /** @param ownTexts supplies the secrets that the history does not store */
  async getTexts(version: number, ownTexts: Texts): Promise<ConfigurationTexts> {
    const texts = await this.history.findTexts(version);
    if (texts) return this.history.keepsSecrets ? texts : restoreSecretsFrom(ownTexts, texts, this.format);
    throw new ProblemException('not-found', `There is no version ${version} of the configuration.`);
  }

  /** The texts of an earlier version, redacted. */
  async getRedactedTexts(version: number, ownTexts: Texts): Promise<ConfigurationTexts> {
    const { xml, files } = await this.getTexts(version, ownTexts);
    const redactedFiles = [...files].map(([name, text]) => [name, this.format.redactRules(text)] as const);
    return { xml: this.redactXml(version, xml), files: new Map(redactedFiles) };
  }

  /** @throws ProblemException for a kept edit that is not well-formed XML */
  private redactXml(version: number, xml: string): string {
    try {
      return this.format.redact(xml);
    } catch (error) {
      throw new ProblemException(
        'unacceptable',
        `Version ${version} is not well-formed XML, so its secrets cannot be found and hidden, and it is not shown ` +
          `(${String(error)}). Its text is in the database, in the table configuration_version.`,
      );
    }
  }
}
