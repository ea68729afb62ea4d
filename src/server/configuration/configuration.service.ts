import { Inject, Injectable } from '@nestjs/common';
import { formatPlace, type Problem } from '../../domain/crawl/place.js';
import type { SinkDefinition } from '../../domain/crawl/sink-definition.js';
import { isSameDefinition } from '../../domain/secret.js';
import type { EngineApi } from '../../engine/engine-api.js';
import type { Clock } from '../../engine/ports/clock.js';
import type { Log } from '../../engine/ports/log.js';
import type { PreviewReport } from '../../engine/views/crawler-views.js';
import type { PageView } from '../../engine/views/url-views.js';
import { ProblemException } from '../http/problem.js';
import { UsageError } from '../options.js';
import { CLOCK, CONFIGURATION_FILE, CONFIGURATION_FORMAT, CONFIGURATION_HISTORY, ENGINE, LOG } from '../tokens.js';
import { type ConfigurationDraft, findStrayFileProblems, indexTextsByName } from './configuration-draft.js';
import {
  type ConfigurationFile,
  InvalidConfiguration,
  type LoadedConfiguration,
  type RuleFile,
  type StagedWrite,
} from './configuration-file.js';
import type { ConfigurationFormat } from './configuration-format.js';
import type { ConfigurationHistory, ConfigurationTexts, VersionHeader } from './configuration-history.js';
import { ConfigurationVersions, KEPT_EDIT } from './configuration-versions.js';
import type { RuleView } from './rule.dto.js';
import {
  ANY_VERSION,
  createConfirmationProblem,
  createInvalidProblem,
  createUnusableEditProblem,
  createWriteProblem,
  requireMatch,
} from './write-conditions.js';

export interface ConfigurationInForce extends LoadedConfiguration {
  readonly header: VersionHeader;
}

export interface WriteRequest {
  readonly who: string;
  /** Value of the If-Match header. Only restore accepts a request without it. */
  readonly ifMatch: string | undefined;
  /** Whether the caller has confirmed that many documents may be deleted. */
  readonly confirm: boolean;
}

type ReloadOutcome = 'unchanged' | 'reloaded' | 'refused';

/**
 * The configuration in force and the only ways to change it. Changes are made one at a time; a configuration with
 * errors changes nothing; the file is written only after the engine has accepted the new configuration; an edit of the
 * file is never overwritten unless the history has it.
 */
@Injectable()
export class ConfigurationService {
  private configurationInForce: ConfigurationInForce | undefined;
  /** What was last read from or written to the files; any difference is an edit by someone else. */
  private diskConfiguration!: LoadedConfiguration;
  private shared = false;
  private fileProblems: readonly Problem[] = [];
  /** Whether an external secret has changed but its previous value is still in use. */
  private hasOutdatedSecrets = false;
  private lastAction: Promise<unknown> = Promise.resolve();
  private readonly versions: ConfigurationVersions;

  constructor(
    @Inject(ENGINE) private readonly engine: EngineApi,
    @Inject(CONFIGURATION_FILE) readonly file: ConfigurationFile,
    @Inject(CONFIGURATION_FORMAT) readonly format: ConfigurationFormat,
    @Inject(CONFIGURATION_HISTORY) history: ConfigurationHistory,
    @Inject(CLOCK) clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {
    this.versions = new ConfigurationVersions(history, format, clock);
  }

  /**
   * The configuration to start with: the one in the file or, if several servers share the database, the one in force on
   * the others.
   */
  async initialize(configuration: LoadedConfiguration, shared: boolean): Promise<ConfigurationInForce> {
    this.shared = shared;
    this.diskConfiguration = configuration;
    const newestVersion = await this.versions.findNewestVersion();
    const isNewest = newestVersion?.digest === configuration.fingerprint;
    if (newestVersion && !isNewest && shared) {
      this.log.warn('the configuration in the database is in force; the file differs from it and is not used', {
        version: newestVersion.version,
        file: this.file.path,
      });
      const { xml, files } = await this.versions.getTexts(newestVersion.version, configuration);
      this.configurationInForce = { ...this.file.load(xml, files), header: newestVersion };
    } else {
      this.configurationInForce = {
        ...configuration,
        header: newestVersion && isNewest ? newestVersion : await this.versions.record(configuration, 'file'),
      };
    }
    return this.configurationInForce;
  }

  /** Puts in force the configuration that another server has put in force. */
  adoptNewest(): Promise<void> {
    return this.runExclusively(async () => {
      const newestVersion = await this.versions.findNewestVersion();
      if (!newestVersion || newestVersion.digest === this.current.header.digest) return;
      const { xml, files } = await this.versions.getTexts(newestVersion.version, this.current);
      const configuration = this.file.load(xml, files);
      const stagedWrite = this.isFileEdited() ? undefined : await this.stage(configuration);
      await this.engine.reconfigure(configuration.definition);
      this.configurationInForce = { ...configuration, header: newestVersion };
      await this.commitWrite(configuration, stagedWrite);
      this.log.info('a new configuration is in force', { version: newestVersion.version, by: newestVersion.who });
    });
  }

  get current(): ConfigurationInForce {
    if (!this.configurationInForce) throw new Error('the configuration was requested before it was loaded');
    return this.configurationInForce;
  }

  /** Problems of the file on disk if it was changed and cannot be used. */
  get rejectedProblems(): readonly Problem[] {
    return this.fileProblems;
  }

  /** Not derived from the text: otherwise, someone who may not see a password could test guesses against it. */
  get etag(): string {
    const { version, at } = this.current.header;
    return `"${version}-${at.toString(36)}"`;
  }

  /** Paths of the files that require a reload when they change. */
  get watchedPaths(): readonly string[] {
    return [this.file.path, ...this.current.paths];
  }

  getRedactedXml(): string {
    return this.format.redact(this.current.xml);
  }

  /** The rule files in force, redacted. */
  listRuleFiles(): readonly RuleFile[] {
    return this.current.ruleFiles.map((file) => ({ ...file, text: this.format.redactRules(file.text) }));
  }

  listRules(crawler: string): readonly RuleView[] {
    return this.format.listRules(this.current.xml, crawler);
  }

  check(draft: ConfigurationDraft): readonly Problem[] {
    const { xml, files } = this.completeDraft(draft);
    const result = this.file.check(xml, files);
    return result.definition ? [...result.problems, ...findStrayFileProblems(draft, result.files)] : result.problems;
  }

  /** The sink with that name in a draft; placeholders are replaced by the secrets of the configuration in force. */
  findSink(draft: ConfigurationDraft, name: string): SinkDefinition {
    const sink = this.loadOrThrow(draft).definition.sinks.find((candidate) => candidate.name === name);
    if (!sink) throw new ProblemException('not-found', `The configuration has no sink ${name}.`);
    return sink;
  }

  viewPage(draft: ConfigurationDraft, crawler: string, url: string): Promise<PageView> {
    return this.engine.previewPage(this.loadOrThrow(draft).definition, crawler, url);
  }

  preview(draft: ConfigurationDraft): AsyncIterable<PreviewReport> {
    return this.engine.preview(this.loadOrThrow(draft).definition);
  }

  /**
   * @throws ProblemException: 428, 412, 422 with every error, 409 if many documents would be deleted or the file has an
   * edit that is not in force; with If-Match: * such an edit is only saved in the history.
   */
  replace(draft: ConfigurationDraft, request: WriteRequest): Promise<ConfigurationInForce> {
    return this.applyDraft(() => draft, request, request.ifMatch === ANY_VERSION);
  }

  /** Like replace, but edits the text in force. */
  change(edit: (xml: string) => string, request: WriteRequest): Promise<ConfigurationInForce> {
    return this.applyDraft((xml) => ({ xml: edit(xml), files: new Map() }), request, false);
  }

  /**
   * Like replace. Without If-Match, any configuration in force is replaced, but never an edit of the file that is not
   * in force.
   */
  async restore(version: number, request: WriteRequest): Promise<ConfigurationInForce> {
    const texts = await this.versions.getTexts(version, this.current);
    return this.applyDraft(
      () => texts,
      { ...request, ifMatch: request.ifMatch ?? ANY_VERSION },
      request.ifMatch === ANY_VERSION,
    );
  }

  /** The texts of an earlier version, redacted. */
  getVersion(version: number): Promise<ConfigurationTexts> {
    return this.versions.getRedactedTexts(version, this.current);
  }

  /** Rereads the file, after a signal or because it has changed. Errors are only logged. */
  reload(who: string): Promise<ReloadOutcome> {
    return this.runExclusively(() =>
      this.loadEditedFile(who).catch((error: unknown) => {
        this.log.error('the configuration could not be reloaded; the current one stays in force', { error });
        return 'refused';
      }),
    );
  }

  /**
   * Rereads the secrets that are kept outside the configuration. Nothing else in the configuration in force changes,
   * and no new version is created.
   */
  async renewSecrets(): Promise<void> {
    if (await this.format.reloadSecrets()) this.hasOutdatedSecrets = true;
    if (!this.hasOutdatedSecrets) return;
    await this.runExclusively(async () => {
      this.hasOutdatedSecrets = false;
      const { xml, ruleFiles, header, definition } = this.current;
      const configuration = this.file.load(xml, new Map(indexTextsByName(ruleFiles)));
      if (isSameDefinition(configuration.definition, definition)) return;
      await this.reconfigure(configuration).catch((error: unknown) => {
        this.hasOutdatedSecrets = true;
        throw error;
      });
      this.configurationInForce = { ...configuration, header };
      this.log.info('an external secret has changed, and the new value is in force');
    });
  }

  private applyDraft(
    createDraft: (xml: string) => ConfigurationDraft,
    request: WriteRequest,
    mayOverwriteEdit: boolean,
  ): Promise<ConfigurationInForce> {
    return this.runExclusively(async () => {
      await this.requireCurrentVersion(request, mayOverwriteEdit);
      const configuration = this.loadOrThrow(createDraft(this.current.xml));
      if (!request.confirm) {
        await this.requireFewDeletions(configuration);
        // The preview takes time, and the file may be edited in the meantime.
        await this.requireCurrentVersion(request, mayOverwriteEdit);
      }
      return this.putInForce(configuration, request.who);
    });
  }

  /**
   * An edit of the file takes precedence: if it has not been noticed yet, it is loaded now, which makes the caller's
   * version outdated.
   */
  private async requireCurrentVersion({ ifMatch }: WriteRequest, mayOverwriteEdit: boolean): Promise<void> {
    if (this.isFileEdited()) await this.loadEditedFile('file');
    if (this.fileProblems.length > 0 && !mayOverwriteEdit) throw createUnusableEditProblem(this.fileProblems);
    requireMatch(ifMatch, this.etag);
  }

  private isFileEdited(): boolean {
    return this.fileProblems.length > 0 || this.file.hasDiskChanged(this.diskConfiguration);
  }

  private async loadEditedFile(who: string): Promise<ReloadOutcome> {
    try {
      const configuration = this.file.load();
      const isNew = configuration.fingerprint !== this.current.fingerprint;
      const header = isNew ? await this.reconfigureAndRecord(configuration, who) : undefined;
      this.diskConfiguration = configuration;
      if (header) await this.acceptVersion(configuration, header);
      this.fileProblems = [];
      return isNew ? 'reloaded' : 'unchanged';
    } catch (error) {
      if (!(error instanceof InvalidConfiguration)) throw error;
      this.rejectFile(error.problems);
      return 'refused';
    }
  }

  private rejectFile(problems: readonly Problem[]): void {
    this.fileProblems = problems;
    this.log.error('the changed configuration file has errors; the previous configuration stays in force', {
      problems: problems.map((problem) => `${formatPlace(problem.place)} ${problem.code} ${problem.message}`),
    });
  }

  private async putInForce(configuration: LoadedConfiguration, who: string): Promise<ConfigurationInForce> {
    const stagedWrite = await this.stage(configuration);
    const header = await this.reconfigureAndRecord(configuration, who, () =>
      this.recordRejectedEdit(configuration),
    ).catch(async (error: unknown) => {
      await stagedWrite?.discard();
      throw error;
    });
    await this.commitWrite(configuration, stagedWrite);
    return this.acceptVersion(configuration, header);
  }

  /** A configuration that cannot be stored, for example because the disk is full, is not put in force either. */
  private async reconfigureAndRecord(
    configuration: LoadedConfiguration,
    who: string,
    beforeRecording = async (): Promise<unknown> => undefined,
  ): Promise<VersionHeader> {
    await this.reconfigure(configuration);
    try {
      await beforeRecording();
      return await this.versions.record(configuration, who);
    } catch (error) {
      await this.engine.reconfigure(this.current.definition).catch(() => undefined);
      throw error;
    }
  }

  /** Keeps an edit that could not be used and is about to be overwritten. */
  private async recordRejectedEdit(configuration: LoadedConfiguration): Promise<void> {
    if (this.fileProblems.length > 0) await this.versions.record(this.file.readDiskTexts(configuration), KEPT_EDIT);
  }

  private async commitWrite(configuration: LoadedConfiguration, stagedWrite: StagedWrite | undefined): Promise<void> {
    if (!stagedWrite) return;
    await stagedWrite.commit();
    this.diskConfiguration = configuration;
  }

  /** If the store fails halfway, the previous configuration is restored, even if that cannot be stored either. */
  private async reconfigure({ definition }: LoadedConfiguration): Promise<void> {
    try {
      await this.engine.reconfigure(definition);
    } catch (error) {
      await this.engine.reconfigure(this.current.definition).catch(() => undefined);
      throw error;
    }
  }

  /**
   * Writes the new contents beside the files. If several servers share a database, which has the configuration, a file
   * that cannot be written (because it is mounted read-only) may stay outdated.
   */
  private stage(configuration: LoadedConfiguration): Promise<StagedWrite | undefined> {
    return this.file.stage(configuration).catch((error: unknown) => {
      if (!this.shared) throw error instanceof UsageError ? createWriteProblem(error) : error;
      this.log.info('the configuration file could not be written; the database has the configuration', {
        file: this.file.path,
        error: String(error),
      });
      return undefined;
    });
  }

  private async acceptVersion(
    configuration: LoadedConfiguration,
    header: VersionHeader,
  ): Promise<ConfigurationInForce> {
    this.configurationInForce = { ...configuration, header };
    this.fileProblems = [];
    this.log.info('a new configuration is in force', { version: header.version, by: header.who });
    await this.engine.notifyOthers();
    return this.configurationInForce;
  }

  /**
   * If several servers share a database, the rules in force are those in the database; a file on this machine may be
   * outdated.
   */
  private completeDraft({ xml, files }: ConfigurationDraft): ConfigurationTexts {
    const currentFiles = this.shared ? indexTextsByName(this.current.ruleFiles) : [];
    return {
      xml: xml === undefined ? this.current.xml : this.format.restoreSecrets(xml, this.current.xml),
      files: new Map([...currentFiles, ...files]),
    };
  }

  private loadOrThrow(draft: ConfigurationDraft): LoadedConfiguration {
    const { xml, files } = this.completeDraft(draft);
    try {
      const configuration = this.file.load(xml, files);
      const strayProblems = findStrayFileProblems(draft, configuration.ruleFiles);
      if (strayProblems.length > 0) throw new InvalidConfiguration(strayProblems);
      return configuration;
    } catch (error) {
      if (!(error instanceof InvalidConfiguration)) throw error;
      throw createInvalidProblem(error.problems);
    }
  }

  private async requireFewDeletions({ definition }: LoadedConfiguration): Promise<void> {
    let lastReport: PreviewReport | undefined;
    for await (const report of this.engine.preview(definition)) lastReport = report;
    if (lastReport && lastReport.needsConfirmation.length > 0) throw createConfirmationProblem(lastReport);
  }

  private runExclusively<T>(action: () => Promise<T>): Promise<T> {
    const result = this.lastAction.then(action, action);
    this.lastAction = result.catch(() => undefined);
    return result;
  }
}
